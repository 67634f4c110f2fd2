"""
Words that say nothing about a task, in the languages that skills and tasks are written in.

A catalog is English as a rule, so that an article of another language is the rarest word in it and
would choose; nothing but a list can tell it from a rare word that means something, because one skill
in a language is all that is known of it. What is also an English word or a name of the trade (`ai`,
`jest`, `pod`, `os`) is left out: it must go on finding skills. And so must a name that nobody thought
of: one in a skill's name, or in capitals, is kept where it is read (`words`, `rank`). Each list has the
words for "use" and "user" too.
"""

# ruff: noqa: RUF001  letters of other alphabets are meant
ENGLISH = frozenset(
    """a an the and or but if then else of to in on at by for from with without into onto over under about
    as is are was were be been being am do does did doing done have has had having will would can could
    should may might must shall not no nor so than too very just also only own same such both each few more
    most other some any all this that these those there here it its itself i me my mine we us our ours you
    your yours he him his she her hers they them their theirs what which who whom whose when where why how
    while during before after above below up down out off again further once between through because until
    against s t don re ve ll d m isn aren wasn doesn didn won wouldn couldn shouldn haven hasn hadn weren ain mustn needn shan cannot let via per etc
    skill skills use uses used using user users help helps please want wants need needs like get make sure
    thing things""".split()
)
_GERMAN = """der die das den dem des ein eine einen einem einer eines und oder aber wenn dann als wie wo wer wann warum
    ist sind wird werden wurde wurden sein seine seinen seiner ihr ihre ihren ihrer mein meine meinen unser unsere ich du er sie es
    wir mir mich dir dich uns im am zum zur vom beim von zu mit ohne nach aus bei bis für über unter auf um
    durch gegen nicht kein keine keinen auch noch nur schon sehr so dass ob weil damit dabei diese dieser dieses
    diesen diesem jede jeder jedes alle alles hat haben hatte kann können soll sollen sollte muss müssen
    möchte bitte nutze nutzen nutzt nutzer benutzer benutzen verwende verwenden verwendet verwendung
    sich hier dort da doch denn weder zwischen vor seit während wegen statt jetzt immer nie viel viele waren bist seid
    hast habe würde würden wäre könnte wollen welche welcher welches ihm ihn ihnen euch ja nein mal etwas nichts andere anderen
    einige jedoch sondern sowie bzw dazu davon dafür darauf danach daher mehr"""
_FRENCH = """le la les un une des du de et ou où mais si dans sur sous avec sans pour par aux ce cet cette ces son sa
    ses mon ma mes ton ta tes notre nos votre vos leur leurs il ils elle elles je tu nous vous qui que quoi
    dont quand lorsque lors comment est sont être été avoir ont avez ai pas ne plus très tout tous toute toutes
    aussi afin qu faut peut doit utiliser utilisez utilise utilisé utilisée utilisateur utilisateurs veuillez
    à en lui eux se moi toi même autre autres aucun chaque vers chez depuis avant après donc ni alors ainsi puis déjà
    peu bien fait faire peuvent doivent avait était étaient sera serait cela ça celui celle ceux celles quel quelle quels quelles"""
_SPANISH = """el la los las un una unos unas del de al y e o pero si en con por para sobre desde hasta entre su sus mi
    mis tu tus nuestro nuestra este esta estos estas ese esa eso esto que qué quien cuando cuándo cómo como
    donde dónde porque es son ser está están hay ha han fue muy más ya también lo le les se nos debe puede
    usar usa utilizar utiliza usuario usuarios favor quiero necesito necesita
    él ella ellos ellas nosotros usted ustedes otra otro otros otras cada toda todos todas tras durante antes después
    según ni sí así aún sólo tanto mucho muchos poco esté había tiene tienen tener hacer hace puedo pueden deben"""
_ITALIAN = """il lo la gli le un uno una di del dello della dei degli delle al allo alla ai agli alle dal dalla
    dai nel nello nella nei nelle sul sulla sui sulle dell nell sull dall e ed o ma se con per tra fra su
    questo questa questi queste quello quella che chi cui quando come dove perché non più anche è sono
    essere ha hanno deve può usare usa utilizzare utilizza utente utenti
    io lui lei noi voi loro ti suo suoi mio mia tuo nostro vostro quale quali quanto ogni tutti tutte tutto tutta
    altro altri altra senza dopo prima durante verso contro molto poco così già ancora stato stata stati fare possono devono
    hai abbiamo negli"""
_PORTUGUESE = """um uma uns umas do da das no na nas nos ao aos à às pelo pela e ou mas se em para por entre seu sua
    seus suas meu minha este esta estes estas isto esse essa isso que quem quando como onde porque é são
    ser está estão há foi não mais muito também já deve pode usar utilizar utilize usuário usuários
    utilizador favor preciso
    ele ela eles elas você vocês nós eu lhe num numa pelos pelas nem até depois antes durante cada toda
    todos todas outro outra qual quais aquele aquela tem têm ter fazer faz posso podem devem"""
_DUTCH = """het een en of maar als dan van naar voor met zonder bij tot uit te ten ter dit dat deze die er
    wie wat waar wanneer hoe waarom niet geen ook nog zijn wordt worden werd heeft hebben kan kunnen moet
    moeten zal zullen ik je jij hij zij wij ze mijn jouw onze ons hun gebruik gebruiken gebruikt gebruiker
    gebruikers graag
    aan op om tegen tussen na sinds tijdens meer veel zeer alleen andere elke iemand iets niets hier daar nu toch dus
    omdat terwijl zodat mag mogen wil willen bent waren uw hem haar zich zo"""
_POLISH = """i w we z ze na do od po za dla przez przy pod nad oraz lub albo ale jeśli gdy kiedy jak gdzie
    który która które co czy to ten ta te tego tej jest są być był nie tak też się użyj używać użytkownik
    użytkownika użytkowników proszę
    mnie go jej ich jego była było były będzie będą ma mają może mogą musi muszę mam ja ona ono oni wy nasz wasz swój
    już jeszcze tylko bardzo więcej wszystkie wszystko żeby aby że ponieważ bez między przed chcę potrzebuję"""
_TURKISH = """ve veya ile bir bu şu için gibi da de ne nasıl nasil zaman olan olarak daha çok kullan kullanıcı
    kullanici kullanmak lütfen
    mı mu mü ama ancak çünkü eğer ki kadar sonra önce şey hiç en ben sen siz onlar onun bunun bunu benim senin yok değil ise
    kendi üzerinde içinde göre nerede neden kim hangi tüm bütün bazı istiyorum gerekiyor lazım kullanın kullanıcının"""  # a capital I may be either of two letters
_RUSSIAN = """и в во не на я с со что как а то все она так его но да ты к у же вы за бы по только её мне
    было вот от меня ещё нет о об из ему когда если или для при до над под без через это этот эта эти этого
    этой они он мы их чтобы который которая которые которых где кто чем быть есть был была были будет
    можно надо нужно нужен нужна нужны также пожалуйста использовать используй используйте используется
    пользователь пользователя пользователей
    ее еще него неё ней них ним тебя тебе себя вам вас нас нам мой моя мои твой ваш наш наша свой тот та те того тем чего
    какой какая какие почему потому тоже уже очень более после перед между кроме могу может могут должен должна должны хочу"""
_ARABIC = """في من على إلى عن مع هذا هذه ذلك تلك التي الذي الذين أو ثم عند عندما كل ما لا لم لن إن أن كان كانت هو هي
    هم نحن أنا أنت بعد قبل بين حتى إذا كيف استخدم استخدام المستخدم
    أي أيضا أيضًا فقط غير بدون خلال حيث لكن ليس ليست قد سوف هناك هنا يجب يمكن الى أنه إنه له لها لهم به بها فيه فيها منه
    منها عليه عليها يتم تم اذا كما مثل حول منذ لي لك فضلك أريد أحتاج"""
_HINDI = """के का की को में से है हैं और या पर यह वह ये वे एक कर करें करना करने लिए जब तो ही भी था थी थे हो ने
    इस उस कि जो अगर उपयोग कृपया
    द्वारा साथ बाद पहले मैं मेरा मेरी आप आपका हम उनके उसके इसके नहीं कैसे क्या कौन कहाँ कब क्यों बहुत सभी कुछ अपने किया गया
    होता होती रहा रहे आणि आहे आहेत हे ही हा ते ती तो मध्ये साठी करा वापरा वापर"""
_INDONESIAN = """yang dan ke dari untuk dengan pada adalah ini itu tidak bukan atau juga akan sudah telah belum bisa dapat harus oleh
    sebagai dalam antara karena jika kalau ketika saat bila agar supaya saya aku kami kita anda kamu dia mereka nya apa siapa
    bagaimana mengapa kapan mana lagi saja hanya sangat lebih paling semua setiap para seperti tetapi tapi namun serta maka lalu
    kemudian setelah sebelum sampai tanpa tentang terhadap secara sedang masih gunakan menggunakan digunakan pengguna pakai
    tolong mohon ingin mau perlu telah boleh ialah daripada kepada guna sila"""
_SWEDISH = """och att det en ett på är av för med till den har inte jag han hon så från när kan ska skall vara blir blev sig sitt sina
    mitt mina ditt dina din vår vårt våra ert dig mig oss honom henne dem dess deras denna detta dessa där här då nu eller också
    utan efter vid mellan genom hos ur än upp ut mot över bara mycket några någon något alla allt vad vem vilken vilket vilka
    varför hur hade varit kunde skulle måste får få finns som använd använda används användare användaren användarens vill
    behöver gärna"""
_DANISH = """og et af til ikke jeg hun når skal være bliver sit mit dit jer vores vor deres denne dette disse uden ved mellem gennem ud
    ind kun meget mere nogle noget alle hvad hvem hvilken hvilket hvorfor hvordan havde været kunne må findes hvis fra brug bruge
    bruges bruger brugeren brugere vil venligst å bruk bruke brukes brukeren seg mellom gjennom etter uten dersom noen noe meg deg
    dere vært blitt trenger vennligst ein eit ikkje eg"""  # and Norwegian
_FINNISH = """ja ei että se joka jotka mutta kun jos tai sekä niin kuin myös vain ovat oli olla ole hän minä sinä te ne nämä tämä tuo mikä
    mitä missä miten miksi milloin kuka voi voit pitää täytyy sitä sen tämän jonka jossa josta johon kanssa ilman ennen jälkeen
    varten mukaan kautta välillä alla yli enemmän hyvin kaikki joku jokin käytä käytetään käyttää käyttäjä käyttäjän käyttäjälle
    käyttäjät kiitos haluan tarvitsen"""
_ESTONIAN = """kui aga või ka siis mis kes kus millal kuidas miks ning olid mina sina tema meie teie nemad ta nad seda selle nende
    koos ilma enne pärast jaoks kohta läbi vahel peab saab võib kasuta kasutada kasutaja kasutajad palun soovin vajan kõik"""
_HUNGARIAN = """az és hogy nem egy ez meg csak ha volt lesz már még akkor amikor mikor ami amely aki akik azt ezt ennek annak ezek azok
    itt ott ahol hol ki hogyan miért melyik én ő ők nekem neki között által alatt felett után előtt nélkül szerint miatt való kell
    lehet tud minden sok több nagyon vagy kérlek kérem szeretnék használd használja használni használata használat felhasználó
    felhasználók felhasználót"""
_CZECH = """ve ke při nad před přes mezi že když pokud jestli nebo ani jako jak kde kdy proč kdo který která které kteří kterou kterého
    jsem jsi jsme jste jsou být byl byla bylo byli bude budou není nejsou má mají mám mohu může mohou musí ti té toho tomu tento tato
    toto tyto tím mě mne ho jí jim jich já ona ono náš váš jeho její jejich svůj také taky jen už ještě více velmi všechny všichni
    vše použij použít použijte používat používá uživatel uživatele uživatelé uživatelů prosím chci potřebuji"""
_SLOVAK = """aj alebo ako ak keď kedy prečo kto čo ktorý ktorá ktoré ktorí ktorú sme ste sú byť bol bola bolo boli budú nie majú môže môžu
    tá tí táto tieto sa zo vo ku pri pred cez medzi tiež ešte viac veľmi všetky všetko použi použite použiť používať používa
    používateľ používateľa používatelia chcem potrebujem"""
_CROATIAN = """kroz između će su smo biti bio bila bilo bili ako ili ali kao kako gdje gde kada kad zašto što šta tko ko koji koja koje
    kojih koju ovaj ova ovo ovi taj ih me vas također takođe samo još već vrlo više mogu treba mora koristi koristite koristiti
    korisnik korisnika korisnici molim želim iz brez skozi bo bil če kot kje kdaj zakaj kaj ki kateri katera jaz ji jih tudi še že
    zelo več lahko uporabi uporabite uporabnik uporabnika prosim"""  # with Bosnian, Serbian and Slovene
_ROMANIAN = """și în pe cu din pentru prin sau dar dacă când cum unde că nu este sunt fost fi să își al lui ei lor ea noi îl îi vă acest
    această acești aceste acesta aceasta cel cea cei cele mai foarte tot toate toți fără după până între către despre trebuie poate
    vreau rog nevoie folosește folosești folosiți folosi utilizează utilizați utilizator utilizatorul utilizatorului utilizatori iar
    deci doar daca cand pana intre catre fara dupa"""
_LITHUANIAN = """ir į iš kad kai kaip kur kada kodėl kas kuris kuri kurie kurių yra buvo būti nėra taip tik jau dar labai daugiau šis ši
    šie tas jis ji jie mes jūs aš jo jos jų mano tavo savo prie už nuo iki apie tarp dėl jei arba gali reikia naudok naudoti
    naudokite naudojamas vartotojas vartotojo naudotojas prašau noriu"""
_LATVIAN = """un uz pēc pirms starp caur līdz lai kā kāpēc kurš kura kuru šī tā viņš viņa viņi mēs es mans savs nav bija būs būt arī tikai vēl
    ļoti vairāk vai jeb vajag jābūt izmanto izmantot izmantojiet lietotājs lietotāja lietotāju lūdzu gribu"""
_CATALAN = """els uns unes però amb dels als quan és són està hem més molt també ja aquest aquesta aquests aquestes això seu seva seus
    seves meu teu nostre sense perquè utilitza utilitzar usuari usuaris plau vull"""
_ALBANIAN = """dhe në për nga një të që është janë nuk por ose kur ku ky kjo këto ajo ata ju më shumë përdor përdorues përdoruesi lutem"""
_SWAHILI = """na ya wa kwa katika za cha vya kama lakini hii hiyo huyu hizi yake wake yangu yako sana pia tu kila baada kabla bila hadi
    kutoka wakati ambao ambayo tumia kutumia mtumiaji watumiaji tafadhali nataka"""
_FILIPINO = """ang mga ay ito iyon kung hindi mayroon ako ikaw siya kami kayo sila natin namin nila niya kanyang nang pero dahil kapag
    saan kailan paano bakit ano sino rin din gamitin gumamit"""
_VIETNAMESE = """và của là các những cho với trong ngoài trên dưới từ đến đã đang sẽ được bị có không này đó kia một như khi nếu thì mà
    nhưng hoặc vì bởi để tại về ra vào lên xuống theo cùng giữa sau trước tôi bạn chúng họ nó gì nào đâu sao thế rất cũng chỉ còn
    nữa bằng hơn nhất mọi mỗi cả phải cần nên hãy dùng sử dụng người xin vui lòng muốn"""
_GREEK = """και το τα τη την της του τον των τους οι ένα ένας μια μία ενός μιας σε στο στη στην στον στους στα στις από για με χωρίς προς
    μέχρι κατά μετά πριν ανά μεταξύ είναι ήταν έχει έχουν είχε θα να δεν μην που ποιος ποια ποιο πως πώς πότε όταν όπου γιατί αν
    αλλά ως όπως αυτό αυτός αυτή αυτά αυτές αυτοί αυτού εγώ εσύ εμείς εσείς μου σου μας σας τις όλα όλες όλοι κάθε πολύ πιο μόνο ήδη
    ακόμα επίσης πρέπει μπορεί μπορώ χρησιμοποίησε χρησιμοποιήστε χρησιμοποιείται χρήση χρήστης χρήστη χρήστες παρακαλώ θέλω
    χρειάζομαι"""
_UKRAINIAN = """та із зі до від про при над під без через між це цей ця ці цього цієї той ті що як де коли чому хто який яка яке які яку
    яких він вона воно вони ми ви його її їх їм нам вам мені мене ні чи або але якщо щоб бо тому також тільки лише вже ще дуже
    більше всі був була було були буде будуть бути має мають може можуть треба потрібно потрібен можна використовуй
    використовуйте використовувати використовується користувач користувача користувачі користувачів ласка прошу"""
_BULGARIAN = """във със от през между да ще са съм си бе беше бъде бил че ако кой която което които кога когато къде защо какво този тази това
    тези той тя ние вие аз му им го ги се ни също още вече много трябва използвай използвайте използва използване потребител потребителят
    потребителя потребители моля искам"""
_SERBIAN = """од кроз између ће је су сам смо сте бити био било али као где када кад зашто шта ко који која које ово овај ова они ја
    такође већ треба користи користите корисник корисника молим"""
_HEBREW = """של על את אל מן עם ללא בלי לפני אחרי בין תחת מעל כמו כדי לפי גם רק כבר עוד מאוד יותר הוא היא הם הן אני אתה אנחנו אתם זה זו זאת
    אלה אלו לא כן אם או אבל כי כאשר מתי איך איפה למה מה מי אשר יש אין היה הייתה היו יהיה להיות יכול יכולה צריך צריכה חייב לי לך לו לה
    לנו להם כל עבור תוך אז פה שם השתמש השתמשו להשתמש שימוש המשתמש משתמש משתמשים בבקשה רוצה"""
_PERSIAN = """از به در را که این آن است برای با بر تا یا هم نیز اما اگر وقتی هنگامی چون چه چرا کجا کی کدام چگونه یک هر همه بین بدون پس پیش
    روی زیر تو او ما شما آنها هستند هست نیست بود بودند باشد شد شده می نمی های ها ای تر ترین کند کنند کنید کرد کرده کردن اند باید
    خواهد خواهم توان تواند فقط خیلی بیشتر استفاده کاربر کاربران لطفا لطفاً خود"""
_URDU = """کے کا کو میں سے ہے ہیں اور پر یہ وہ ایک کر کریں کرنا کرنے لیے جب ہی بھی تھا تھی تھے ہو نے اس ان کہ جو نہیں استعمال صارف براہ کرم"""
_BENGALI = """এবং বা এই সেই একটি এর কে যে যা জন্য থেকে করে করুন করা হয় হবে আছে না কি কিন্তু যখন যদি সাথে মধ্যে আমি আমার আপনি আপনার তার
    তাদের ব্যবহার ব্যবহারকারী"""
_NAMES = """ai ami bent bio ce cel chi ci co com comment con dai des di dig dos em er es eso eu fare fi go hat hindi
    immer io ir jest ko lo ma mans mau mere met mi mir nav non nu num ole ons op os oss ova pe plus po pod pred
    qual sa seg sense si sin sit sme son stata sui ten todo todos ton ty uno ut vain van vi vid volt wake wo"""
_SAID = f"""{_GERMAN} {_FRENCH} {_SPANISH} {_ITALIAN} {_PORTUGUESE} {_DUTCH} {_POLISH} {_TURKISH} {_RUSSIAN} {_ARABIC}
    {_HINDI} {_INDONESIAN} {_SWEDISH} {_DANISH} {_FINNISH} {_ESTONIAN} {_HUNGARIAN} {_CZECH} {_SLOVAK} {_CROATIAN} {_ROMANIAN}
    {_LITHUANIAN} {_LATVIAN} {_CATALAN} {_ALBANIAN} {_SWAHILI} {_FILIPINO} {_VIETNAMESE} {_GREEK} {_UKRAINIAN} {_BULGARIAN}
    {_SERBIAN} {_HEBREW} {_PERSIAN} {_URDU} {_BENGALI}"""
OTHERS = frozenset(_SAID.split()).difference(_NAMES.split(), ENGLISH)
# Chinese, Japanese and Korean write them together with the words around them.
UNSPACED = (
    "使用者 使用 用户 用戶 用于 用於 帮助 帮我 幫我 需要 可以 进行 進行 通过 以及 或者 如果 这个 那个 一个 我们 你们 他们 的 "
    "ユーザー してください ください について します しました する して した です ます ための とき 場合 または および この その など から まで を "
    "사용자 사용 합니다 하세요 해주세요 경우"
).split()
