"""The command that lets people try, and use, what every event passes: redact."""

import json as json_
import os
import shlex
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prowess.cli.output import note
from prowess.core.errors import UsageError

if TYPE_CHECKING:
    from prowess.permit.redact import Redactor

CHUNK = 65_536


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Take secrets and personal data out of a text.",
        epilog="Example: tail -f app.log | prowess redact",
    )(redact)


def redact(
    files: Annotated[list[str] | None, typer.Argument(hidden=True, metavar="")] = None,
    *,
    secrets_only: Annotated[
        bool, typer.Option("--secrets-only", help="Leave personal data as it is.")
    ] = False,
    pii_only: Annotated[
        bool, typer.Option("--pii-only", help="Take out personal data, and leave secrets.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="The input is JSON lines: look into each value.")
    ] = False,
    batch: Annotated[
        str | None,
        typer.Option(
            "--batch",
            metavar="FILE",
            help='Lines of {"id", "redact", "payload" | "chunks", "known_secrets"}; answers {"id", "output"}. '
            "- is standard input.",
        ),
    ] = None,
) -> None:
    """
    Take secrets and personal data out of what comes on standard input, line by line.

    Values of environment variables with names such as API_TOKEN are taken out wherever they appear.
    """
    from prowess.permit.redact import Redactor, known_secrets
    from prowess.permit.redact import redact as redacted

    if files:
        raise UsageError(
            "redact takes no file, it filters standard input",
            hint=f"prowess redact < {shlex.quote(files[0])}",
        )
    if secrets_only and pii_only:
        raise UsageError(
            "--secrets-only and --pii-only leave nothing to do", hint="use one of them, or neither"
        )
    if batch is not None:
        for record in _records(batch):
            print(json_.dumps(_answer(record), ensure_ascii=False))
        return
    if sys.stdin.isatty():
        note("Waiting for text on stdin, `prowess redact < FILE` takes a file. Ctrl-D ends this.")
    known = known_secrets(os.environ)
    if not json:
        _filter(Redactor(secrets=not pii_only, personal=not secrets_only, known=known))
        return
    for line in sys.stdin.buffer:
        text = line.decode("utf-8", "surrogateescape")
        try:
            value = json_.loads(text)
        except (ValueError, RecursionError):
            value = None  # no JSON: it is a line of text then
        seen = redacted(
            text.rstrip("\r\n") if value is None else value,
            secrets=not pii_only,
            personal=not secrets_only,
            known=known,
        )
        _write(seen if value is None else json_.dumps(seen, ensure_ascii=False))
        _write("\n")


def _filter(redactor: "Redactor") -> None:
    """As it comes: every whole line is passed on before the next is waited for."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    while chunk := os.read(sys.stdin.fileno(), CHUNK):
        _write(redactor.feed(decoder.decode(chunk)))
    _write(redactor.feed(decoder.decode(b"", final=True)) + redactor.flush())


def _write(text: str) -> None:
    """Bytes that are no text go out as they came in."""
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def _answer(record: dict[str, Any]) -> dict[str, Any]:
    from prowess.permit.redact import Redactor
    from prowess.permit.redact import redact as redacted

    removed = record.get("redact", ["secrets", "pii"])
    known = record.get("known_secrets") or ()
    secrets, personal = "secrets" in removed, "pii" in removed
    if "chunks" in record:
        redactor = Redactor(secrets=secrets, personal=personal, known=known)
        output = "".join(map(redactor.feed, record["chunks"])) + redactor.flush()
    else:
        output = redacted(record["payload"], secrets=secrets, personal=personal, known=known)
    return {"id": record["id"], "output": output}


def _records(path: str) -> Iterator[dict[str, Any]]:
    try:
        with _opened(path) as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    record = json_.loads(line)
                except ValueError:
                    record = None
                if not isinstance(record, dict) or not (
                    "id" in record and ("payload" in record or "chunks" in record)
                ):
                    raise UsageError(
                        f"{path}:{number}: not a record",
                        hint='write lines such as {"id": "1", "payload": "…"}',
                    )
                yield record
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8", hint="save it as UTF-8") from None
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", hint="name a file that exists"
        ) from error


def _opened(path: str) -> Any:
    if path == "-":
        return sys.stdin
    if path.endswith(".gz"):
        import gzip

        return gzip.open(path, "rt", encoding="utf-8")
    return open(path, encoding="utf-8")
