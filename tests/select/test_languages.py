"""A skill that is the only one in its language: its words are rare, and most of them mean nothing."""

# ruff: noqa: RUF001  letters of other alphabets are meant
import pytest

from prowess.core.skill import Skill
from prowess.select.choose import match_task
from prowess.select.rank import THRESHOLD
from prowess.select.shelf import open_ranker
from support import a_skill as skill

ENGLISH = [
    skill(f"dish-{n}", f"Cooks dish number {n} with vegetables and rice.") for n in range(20)
]
# Words that say nothing, a task about something else, a task about it, and its description.
INVOICES = [
    (
        "yang dan untuk dengan ini ketika",
        "Perbaiki kesalahan login yang muncul ketika pengguna masuk dengan sandi untuk akun ini",
        "Buat faktur untuk pelanggan",
        "Buat dan kirim faktur untuk pelanggan yang sudah membayar dengan kartu. Gunakan skill ini ketika pengguna meminta faktur.",
    ),
    (
        "och till som har med när",
        "Åtgärda felet som gör att användaren inte kan logga in när lösenordet har bytts med appen",
        "Skapa och skicka en faktura till kunder",
        "Skapa och skicka fakturor till kunder som har betalat med kort. Använd när användaren ber om en faktura.",
    ),
    (
        "và cho đã bằng khi để",
        "Sửa lỗi đăng nhập khi người dùng đã nhập mật khẩu cho tài khoản và để lại phiên",
        "Tạo hóa đơn cho khách hàng",
        "Tạo và gửi hóa đơn cho khách hàng đã thanh toán bằng thẻ. Dùng khi người dùng yêu cầu hóa đơn.",
    ),
    (
        "και για τους που έχουν με όταν ο",
        "Διόρθωσε το σφάλμα σύνδεσης για τους χρήστες που έχουν αλλάξει κωδικό όταν ο διακομιστής αργεί",
        "Δημιουργία τιμολόγιο για πελάτες",
        "Δημιουργία και αποστολή τιμολογίων για τους πελάτες που έχουν πληρώσει με κάρτα. Χρησιμοποίησε όταν ο χρήστης ζητά τιμολόγιο.",
    ),
    (
        "та для які коли",
        "Виправ помилку входу для користувачів, які змінили пароль, коли сесія та токен застаріли",
        "Створення рахунків для клієнтів",
        "Створення та надсилання рахунків для клієнтів, які сплатили карткою. Використовуй, коли користувач просить рахунок.",
    ),
    (
        "ja jotka ovat kun",
        "Korjaa kirjautumisvirhe, kun käyttäjä vaihtaa salasanan ja istunnot, jotka ovat auki, katkeavat",
        "Lähetä laskut asiakkaille",
        "Luo ja lähetä laskut asiakkaille, jotka ovat maksaneet kortilla. Käytä kun käyttäjä pyytää laskua.",
    ),
    (
        "és az akik akkor ha a",
        "Javítsd ki a hibát, ha a felhasználó jelszót cserél, és az olyanok, akik akkor lépnek be, várnak",
        "Számlák készítése az ügyfeleknek",
        "Számlák készítése és küldése az ügyfeleknek, akik kártyával fizettek. Akkor használd, ha a felhasználó számlát kér.",
    ),
    (
        "a kteří když jak na to",
        "Oprav chybu přihlášení, když uživatel změní heslo, a ti, kteří jsou uvnitř, vypadnou",
        "Pošli fakturu zákazníkům",
        "Vytvoř a pošli faktury zákazníkům, kteří zaplatili kartou. Použij, když uživatel žádá fakturu.",
    ),
    (
        "של על את עם אשר כאשר עבור",
        "תקן את באג ההתחברות של המשתמש כאשר הסיסמה שונתה עבור חשבון אשר ננעל עם שגיאה",
        "יצירה של חשבוניות עבור לקוחות",
        "יצירה ושליחה של חשבוניות עבור לקוחות אשר שילמו עם כרטיס. השתמש כאשר המשתמש מבקש חשבונית.",
    ),
    (
        "از به در را که این است برای با",
        "خطای ورود کاربر را که وقتی رمز عوض می شود برای این برنامه با سرور رخ می دهد رفع کنید",
        "ایجاد و ارسال فاکتور برای مشتریان",
        "ایجاد و ارسال فاکتور برای مشتریان که با کارت پرداخت کرده اند. وقتی کاربر فاکتور می خواهد استفاده کنید.",
    ),
]


def chosen(task: str, *skills: Skill, threshold: float = THRESHOLD) -> list[str]:
    ranker = open_ranker([*ENGLISH, *skills], lambda _: "", folder=None)
    return [match.name for match in match_task(task, ranker, limit=2, threshold=threshold)]


@pytest.mark.parametrize(("little", "other", "same", "description"), INVOICES)
def test_it_is_chosen_by_what_it_is_about_and_by_nothing_else(
    little: str, other: str, same: str, description: str
) -> None:
    invoices = skill("billing", description)

    assert chosen(little, invoices, threshold=0.0) == []
    assert chosen(other, invoices) == []
    assert chosen(same, invoices) == ["billing"]


def test_with_all_the_others_beside_it_each_is_still_told_from_them() -> None:
    skills = [skill(f"billing-{n}", row[3]) for n, row in enumerate(INVOICES)]

    for n, (little, other, same, _) in enumerate(INVOICES):
        assert chosen(little, *skills, threshold=0.0) == []
        assert chosen(other, *skills) == []
        assert chosen(same, *skills)[:1] == [f"billing-{n}"]
