// Numbers over days as small pictures, with the same numbers for those who do not see them.

import { el, svg } from "./dom.js";
import { day } from "./words.js";

const WIDTH = 440;
const HEIGHT = 120;
const TOP = 14;
const FLOOR = HEIGHT - 18;

/** Bars, one above the other where a day has several `series` (`{name, kind, of}`). */
export function bars(title, days, series, words) {
  const totals = days.map((each) => series.reduce((sum, one) => sum + (one.of(each) ?? 0), 0));
  const most = Math.max(...totals, 0) || 1;
  const step = WIDTH / days.length;
  const drawn = days.flatMap((each, place) => {
    let floor = FLOOR;
    return series.map((one) => {
      const value = one.of(each) ?? 0;
      const height = (value / most) * (FLOOR - TOP);
      floor -= height;
      return value > 0 && svg("rect", { class: `fill-${one.kind}`, x: place * step + step * 0.12, y: floor, width: step * 0.76, height: Math.max(height, 1) },
        svg("title", {}, `${day(each.day)}: ${one.name} ${words(value)}`));
    });
  });
  const known = totals.some((total) => total > 0) || days.every((each) => series.some((one) => one.of(each) !== null));
  return picture(title, days, words(known ? Math.max(...totals, 0) : null), drawn, legend(series), spoken(days, totals, words));
}

/** Lines of shares from 0 to 1; a day without a value is a gap. */
export function lines(title, days, series, words) {
  const step = WIDTH / days.length;
  const drawn = series.flatMap((one) => {
    const dots = days
      .map((each, place) => ({ value: one.of(each), x: (place + 0.5) * step, day: each.day }))
      .filter((dot) => dot.value !== null && dot.value !== undefined)
      .map((dot) => ({ ...dot, y: FLOOR - dot.value * (FLOOR - TOP) }));
    const path = dots.map((dot, place) => `${place ? "L" : "M"}${dot.x.toFixed(1)} ${dot.y.toFixed(1)}`).join("");
    return [
      svg("path", { class: `line-${one.kind}`, d: path || "M0 0" }),
      dots.map((dot) => svg("circle", { class: `fill-${one.kind}`, cx: dot.x, cy: dot.y, r: 2.4 },
        svg("title", {}, `${day(dot.day)}: ${one.name} ${words(dot.value)}`))),
    ];
  });
  const told = spoken(days, days.map((each) => series[0].of(each)), words);
  return picture(title, days, words(1), drawn, legend(series), told);
}

function picture(title, days, most, drawn, key, told) {
  const grid = [TOP, (TOP + FLOOR) / 2, FLOOR].map((y) => svg("line", { class: "grid", x1: 0, x2: WIDTH, y1: y, y2: y }));
  const label = (x, y, anchor, words) => svg("text", { class: "axis", x, y, "text-anchor": anchor }, words);
  return el("figure", { class: "chart" },
    el("figcaption", {}, el("span", {}, title), key),
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}. ${told}` },
      grid, drawn,
      label(0, TOP - 4, "start", most),
      label(0, HEIGHT - 4, "start", day(days[0].day).replace(/ \d{4}$/, "")),
      label(WIDTH, HEIGHT - 4, "end", "today")));
}

function legend(series) {
  if (series.length === 1) return null;
  return el("span", { class: "legend" }, series.map((one) =>
    el("span", {}, el("i", { class: `dot-${one.kind}`, "aria-hidden": "true" }), one.name)));
}

function spoken(days, values, words) {
  const told = days.map((each, place) => [each.day, values[place]]).filter(([, value]) => value);
  if (!told.length) return "Nothing yet.";
  return told.slice(-7).map(([when, value]) => `${day(when)}: ${words(value)}`).join("; ");
}

/** The last days up to today, also those on which nothing happened. */
export function filled(days, amount) {
  return Array.from({ length: amount }, (_, place) => {
    const when = new Date(Date.now() - (amount - 1 - place) * 86_400_000).toISOString().slice(0, 10);
    return { day: when, ...(days[when] ?? { runs: 0, endings: {}, cost: 0, success_rate: null, recovery_rate: null }) };
  });
}
