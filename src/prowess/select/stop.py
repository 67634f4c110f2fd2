"""
Words that say nothing about a task, in the languages most used for skills.

A catalog is English as a rule, so that an article of another language is the rarest word in it and
would choose. What is also an English word or a name of the trade (`ai`, `jest`, `pod`, `os`) is left
out: it must go on finding skills. And so must a name that nobody thought of: one in a skill's name, or
in capitals, is kept where it is read (`words`, `rank`). Each list has the words for "use" and "user" too.
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
    möchte bitte nutze nutzen nutzt nutzer benutzer benutzen verwende verwenden verwendet verwendung"""
_FRENCH = """le la les un une des du de et ou où mais si dans sur sous avec sans pour par aux ce cet cette ces son sa
    ses mon ma mes ton ta tes notre nos votre vos leur leurs il ils elle elles je tu nous vous qui que quoi
    dont quand lorsque lors comment est sont être été avoir ont avez ai pas ne plus très tout tous toute toutes
    aussi afin qu faut peut doit utiliser utilisez utilise utilisé utilisée utilisateur utilisateurs veuillez"""
_SPANISH = """el la los las un una unos unas del de al y e o pero si en con por para sobre desde hasta entre su sus mi
    mis tu tus nuestro nuestra este esta estos estas ese esa eso esto que qué quien cuando cuándo cómo como
    donde dónde porque es son ser está están hay ha han fue muy más ya también lo le les se nos debe puede
    usar usa utilizar utiliza usuario usuarios favor quiero necesito necesita"""
_ITALIAN = """il lo la gli le un uno una di del dello della dei degli delle al allo alla ai agli alle dal dalla
    dai nel nello nella nei nelle sul sulla sui sulle dell nell sull dall e ed o ma se con per tra fra su
    questo questa questi queste quello quella che chi cui quando come dove perché non più anche è sono
    essere ha hanno deve può usare usa utilizzare utilizza utente utenti"""
_PORTUGUESE = """um uma uns umas do da das no na nas nos ao aos à às pelo pela e ou mas se em para por entre seu sua
    seus suas meu minha este esta estes estas isto esse essa isso que quem quando como onde porque é são
    ser está estão há foi não mais muito também já deve pode usar utilizar utilize usuário usuários
    utilizador favor preciso"""
_DUTCH = """het een en of maar als dan van naar voor met zonder bij tot uit te ten ter dit dat deze die er
    wie wat waar wanneer hoe waarom niet geen ook nog zijn wordt worden werd heeft hebben kan kunnen moet
    moeten zal zullen ik je jij hij zij wij ze mijn jouw onze ons hun gebruik gebruiken gebruikt gebruiker
    gebruikers graag"""
_POLISH = """i w we z ze na do od po za dla przez przy pod nad oraz lub albo ale jeśli gdy kiedy jak gdzie
    który która które co czy to ten ta te tego tej jest są być był nie tak też się użyj używać użytkownik
    użytkownika użytkowników proszę"""
_TURKISH = """ve veya ile bir bu şu için gibi da de ne nasıl nasil zaman olan olarak daha çok kullan kullanıcı
    kullanici kullanmak lütfen"""  # a capital I may be either of two letters
_RUSSIAN = """и в во не на я с со что как а то все она так его но да ты к у же вы за бы по только её мне
    было вот от меня ещё нет о об из ему когда если или для при до над под без через это этот эта эти этого
    этой они он мы их чтобы который которая которые которых где кто чем быть есть был была были будет
    можно надо нужно нужен нужна нужны также пожалуйста использовать используй используйте используется
    пользователь пользователя пользователей"""
_ARABIC = """في من على إلى عن مع هذا هذه ذلك تلك التي الذي الذين أو ثم عند عندما كل ما لا لم لن إن أن كان كانت هو هي
    هم نحن أنا أنت بعد قبل بين حتى إذا كيف استخدم استخدام المستخدم"""
_HINDI = """के का की को में से है हैं और या पर यह वह ये वे एक कर करें करना करने लिए जब तो ही भी था थी थे हो ने
    इस उस कि जो अगर उपयोग कृपया"""
_NAMES = """ai ce chi co comment con dai des di dos em er es eso hat jest lo ma met mi mir non ons plus po pod sa si
    sin son sui ten ton uno van wo"""
_SAID = f"""{_GERMAN} {_FRENCH} {_SPANISH} {_ITALIAN} {_PORTUGUESE} {_DUTCH} {_POLISH} {_TURKISH} {_RUSSIAN} {_ARABIC}
    {_HINDI}"""
OTHERS = frozenset(_SAID.split()).difference(_NAMES.split(), ENGLISH)
# Chinese, Japanese and Korean write them together with the words around them.
UNSPACED = (
    "使用者 使用 用户 用戶 用于 用於 帮助 帮我 幫我 需要 可以 进行 進行 通过 以及 或者 如果 这个 那个 一个 我们 你们 他们 的 "
    "ユーザー してください ください について します しました する して した です ます ための とき 場合 または および この その など から まで を "
    "사용자 사용 합니다 하세요 해주세요 경우"
).split()
