"""Function words of some languages, which say little about the topic of a text."""

from collections.abc import Mapping
from typing import Literal

StopLanguage = Literal["none", "english", "german", "french", "spanish", "italian", "portuguese", "dutch"]

_LISTS: Mapping[str, str] = {
    "none": "",
    "english": (
        "a about above after again against all almost also although always am among an and another any are as at be"
        " because been before being below between both but by can cannot could did do does doing done down during"
        " each either else enough ever every few for from further get got had has have having he hence her here"
        " hers herself him himself his how however i if in instead into is it its itself just least less let like"
        " many may me might mine more most much must my myself near neither never no nor not now of off often on"
        " once only or other others our ours ourselves out over own per perhaps quite rather really said same shall"
        " she should since so some such than that the their theirs them themselves then there these they this those"
        " though through thus to too toward towards under until up upon us very via was we well were what when"
        " where whether which while who whom whose why will with within without would yet you your yours yourself"
        " yourselves i'm i've i'll i'd it's he's she's that's there's we're we've we'll they're they've they'll"
        " you're you've you'll isn't aren't wasn't weren't don't doesn't didn't can't couldn't won't wouldn't"
        " shouldn't hasn't haven't hadn't"
    ),
    "german": (
        "aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da"
        " dabei damit dann das dass daß dein deine dem den denn der des dessen deshalb die dies diese diesem diesen"
        " dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas euch euer für gegen habe"
        " haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede"
        " jedem jeden jeder jedes jetzt kann kein keine keinem keinen keiner können könnte machen man manche mehr"
        " mein meine mich mir mit muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen"
        " seiner seit selbst sich sie sind so solche soll sollte sondern sonst über um und uns unser unter viel vom"
        " von vor war waren was weg weil weiter welche wenn wer werde werden wie wieder will wir wird wirst wo"
        " wollen wurde wurden würde zu zum zur zwar zwischen"
    ),
    "french": (
        "à afin ai aie ainsi alors après as au aucun aussi autre aux avait avant avec avoir c'est car ce cela ces"
        " cet cette ceux chaque ci comme comment d'un d'une dans de depuis des deux devant doit donc dont du elle"
        " elles en encore entre es est et étaient était étant été être eu eux fait fois font ici il ils j'ai je"
        " jusque l'on la laquelle le lequel les leur leurs lors lui ma mais me même mes moi moins mon ne ni non nos"
        " notre nous on ont ou où par parce pas pendant peu peut plus pour pourquoi quand que quel quelle qu'il"
        " qu'elle qu'on qui sa sans se sera ses si sien son sont sous sur ta te tes toi ton tous tout toute toutes"
        " très tu un une vers vos votre vous y"
    ),
    "spanish": (
        "a al algo algunas algunos ante antes aquel aquella así aún aunque bien cada como con contra cual cuando de"
        " del desde donde dos durante e el él ella ellas ellos en entre era eran es esa esas ese eso esos esta está"
        " estaba están estas este esto estos fue fueron ha había han hasta hay la las le les lo los más me mi mis"
        " mucho muy nada ni no nos nosotros o otra otras otro otros para pero poco por porque pues que qué quien se"
        " sea ser será si sí sido sin sobre son su sus también tan tanto te tiene tienen todo todos tras tu tus un"
        " una uno unos usted ya y yo"
    ),
    "italian": (
        "a abbiamo ad agli ai al alla alle allo anche ancora avere aveva c'è che chi ci ciò come con contro cui da"
        " dagli dai dal dalla dalle dallo degli dei del della delle dello di dopo dove due e è ed era erano essere"
        " fra gli ha hai hanno ho i il in io la le lei li lo loro lui ma me mentre mi mia mio molto ne negli nei"
        " nel nella nelle nello noi non nostro o ogni per perché però più poi prima qua quale quando quanto quella"
        " quelle quelli quello questa queste questi questo qui se sei senza si sia siamo siete sono sopra sotto sta"
        " stato su sua sue sui sul sulla sulle suo suoi tra tu tua tuo tutti tutto un una uno vi voi"
    ),
    "portuguese": (
        "a à ao aos aquela aquele aquilo as às até com como da das de dela dele delas deles depois do dos e é ela"
        " elas ele eles em entre era essa essas esse esses esta está estas este estes eu foi foram há isso isto já"
        " lhe mais mas me mesmo meu minha muito na nas não nem no nos nós nossa nosso num numa o os ou para pela"
        " pelas pelo pelos por porque qual quando que quem são se seja sem ser seu sua seus suas só sobre também te"
        " tem têm ter teu tu tua um uma umas uns você vocês"
    ),
    "dutch": (
        "aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een en er ge"
        " geen had haar heb hebben heeft hem het hier hij hoe hun iets ik in is ja je kan kon kunnen maar me meer"
        " men met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch"
        " toen tot u uit uw van veel voor want waren was wat we werd wezen wie wij wil worden wordt zal ze zei zelf"
        " zich zij zijn zo zonder zou"
    ),
}


def stop_words(language: StopLanguage) -> frozenset[str]:
    """Return the function words in lower case, with straight and with curved apostrophes."""
    words = _LISTS[language].split()
    return frozenset(words) | frozenset(word.replace("'", "\u2019") for word in words)
