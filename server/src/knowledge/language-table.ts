/**
 * The languages of a country, but for English: those that the Unicode CLDR has a locale of the country for, and the likeliest one. Made by
 * `node scripts/knowledge-zones.ts`. English is left out, for browsers speak it everywhere.
 */
export const LANGUAGES = `
AD:ca AE:ar AF:fa:ps:uz AG AI AL:sq AM:hy AO:ln:pt AQ AR:es AS:sm AT:de AU AW:nl AX:sv AZ:az BA:bs:hr:sr BB
BD:bn:ccp BE:de:fr:nl BF:ff:fr BG:bg BH:ar BI:fr:rn BJ:blo:fr:yo BL:fr BM BN:ms BO:es:qu BQ:nl:pap BR:es:kgp:pt:yrl
BS BT:dz BV:no BW:tn BY:be:ru BZ:es CA:csw:fr CC:ms CD:fr:ln:lu:sw CF:fr:ln:sg CG:fr:ln CH:de:fr:gsw:it:pt:rm:wae
CI:fr CK CL:es CM:agq:bas:dua:ewo:ff:fr:jgo:kkj:ksf:mgo:mua:nmg:nnh:yav CN:bo:ii:kk:ko:ug:yue:za:zh CO:es:yrl CR:es
CU:es CV:kea:pt CW:nl:pap CX CY:el:tr CZ:cs DE:de:dsb:hsb:ksh:nds DJ:ar:fr:so DK:da:fo DM DO:es DZ:ar:fr:kab
EC:es:qu EE:et:ie EG:ar EH:ar ER:ar:ti ES:ast:ca:es:eu:gl:oc ET:am:om:so:ti FI:fi:se:smn:sv FJ FK FM FO:fo
FR:br:ca:fr:gsw:oc GA:fr GB:cy:ga:gd:kw GD GE:ka:os GF:fr GG GH:ak:ee:ff:gaa:ha GI GL:da:kl GM:ff GN:ff:fr:nqo GP:fr
GQ:es:fr:pt GR:el GS GT:es GU GW:ff:pt GY HK:yue:zh HM HN:es HR:hr HT:fr:ht HU:hu ID:id:jv:ms:su IE:ga IL:ar:he
IM:gv IN:as:bgc:bho:bn:bo:brx:ccp:doi:gu:hi:kn:kok:ks:kxv:mai:ml:mni:mr:ne:or:pa:raj:sa:sat:sd:ta:te:ur:xnr IO
IQ:ar:ckb:ku:lrc:syr IR:ckb:fa:lrc:mzn IS:is IT:ca:de:fur:it:lij:lmo:pms:sc:scn:vec JE JM JO:ar JP:ja
KE:dav:ebu:guz:kam:ki:kln:luo:luy:mas:mer:om:saq:so:sw:teo KG:ky:ru KH:km KI KM:ar:fr KN KP:ko KR:ko KW:ar KY
KZ:kk:ru LA:lo LB:ar LC LI:de:gsw LK:si:ta LR:ff:vai LS:st LT:lt LU:de:fr:lb:pt LV:lv LY:ar MA:ar:fr:shi:tzm:zgh
MC:fr MD:ro:ru ME:sr MF:fr MG:fr:mg MH MK:mk:sq ML:bm:fr:khq:ses MM:my:shn MN:mn MO:pt:yue:zh MP MQ:fr MR:ar:ff:fr
MS MT:mt MU:fr:mfe MV:dv MW MX:es MY:ms:ta:zh MZ:mgh:pt:seh:vmw NA:af:naq NC:fr NE:dje:ff:fr:ha:twq NF
NG:ff:ha:ig:pcm:yo NI:es NL:fy:nds:nl NO:nb:nn:no:se NP:ne NR NU NZ:mi OM:ar PA:es PE:es:qu PF:fr PG:tpi
PH:ceb:es:fil PK:pa:ps:sd:ur PL:pl:prg:szl PM:fr PN PR:es PS:ar PT:pt PW:pau PY:es:gn QA:ar RE:fr RO:ro RS:sr
RU:ba:bua:ce:cv:os:ru:sah:tt:tyv RW:fr:rw SA:ar SB SC:fr SD:ar SE:se:sv SG:ms:ta:zh SH SI:sl SJ:nb SK:sk SL:ff SM:it
SN:dyo:ff:fr:wo SO:ar:so SR:nl SS:ar:nus ST:pt SV:es SX:nl SY:ar:fr:ku:syr SZ TC TD:ar:fr TF:fr TG:ee:fr TH:shn:th
TJ:tg TK:tkl TL:pt TM:tk TN:ar:fr TO:to TR:ku:tr TT TV:tvl TW:zh TZ:asa:bez:jmc:kde:ksb:lag:mas:rof:rwk:sbp:sw:vun
UA:ru:uk:yi UG:cgg:lg:nyn:sw:teo:xog UM US:chr:es:haw:lkt UY:es UZ:uz VA:it VC VE:es:yrl VG VI VN:vi VU:bi:fr WF:fr
WS:sm XK:sq:sr YE:ar YT:fr ZA:af:nso:st:tn:xh:zu ZM:bem ZW:nd:sn`;
