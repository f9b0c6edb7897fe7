/**
 * Time zones by the country they are named after: two letters, by how many minutes it is later there than in UTC in January and in July, and
 * their names. Made by `node scripts/knowledge-zones.ts` from tzdata (public domain) and the Unicode CLDR.
 */
export const ZONES = `
AD:60:120:Europe/Andorra AE:240:240:Asia/Dubai AF:270:270:Asia/Kabul AG:-240:-240:America/Antigua
AI:-240:-240:America/Anguilla AL:60:120:Europe/Tirane AM:240:240:Asia/Yerevan AO:60:60:Africa/Luanda
AQ:-180:-180:Antarctica/Palmer:Antarctica/Rothera AQ:0:120:Antarctica/Troll AQ:180:180:Antarctica/Syowa
AQ:300:300:Antarctica/Mawson:Antarctica/Vostok AQ:420:420:Antarctica/Davis AQ:480:480:Antarctica/Casey
AQ:600:600:Antarctica/DumontDUrville AQ:780:720:Antarctica/McMurdo
AR:-180:-180:America/Argentina/Buenos_Aires:America/Argentina/Catamarca:America/Argentina/ComodRivadavia:America/Argentina/Cordoba:America/Argentina/Jujuy:America/Argentina/La_Rioja:America/Argentina/Mendoza:America/Argentina/Rio_Gallegos:America/Argentina/Salta:America/Argentina/San_Juan:America/Argentina/San_Luis:America/Argentina/Tucuman:America/Argentina/Ushuaia:America/Buenos_Aires:America/Catamarca:America/Cordoba:America/Jujuy:America/Mendoza:America/Rosario
AS:-660:-660:Pacific/Pago_Pago:Pacific/Samoa:US/Samoa AT:60:120:Europe/Vienna
AU:480:480:Australia/Perth:Australia/West AU:525:525:Australia/Eucla AU:570:570:Australia/Darwin:Australia/North
AU:600:600:Australia/Brisbane:Australia/Lindeman:Australia/Queensland
AU:630:570:Australia/Adelaide:Australia/Broken_Hill:Australia/South:Australia/Yancowinna
AU:660:600:Antarctica/Macquarie:Australia/ACT:Australia/Canberra:Australia/Currie:Australia/Hobart:Australia/Melbourne:Australia/NSW:Australia/Sydney:Australia/Tasmania:Australia/Victoria
AU:660:630:Australia/LHI:Australia/Lord_Howe AW:-240:-240:America/Aruba AX:120:180:Europe/Mariehamn
AZ:240:240:Asia/Baku BA:60:120:Europe/Sarajevo BB:-240:-240:America/Barbados BD:360:360:Asia/Dacca:Asia/Dhaka
BE:60:120:Europe/Brussels BF:0:0:Africa/Ouagadougou BG:120:180:Europe/Sofia BH:180:180:Asia/Bahrain
BI:120:120:Africa/Bujumbura BJ:60:60:Africa/Porto-Novo BL:-240:-240:America/St_Barthelemy
BM:-240:-180:Atlantic/Bermuda BN:480:480:Asia/Brunei BO:-240:-240:America/La_Paz BQ:-240:-240:America/Kralendijk
BR:-120:-120:America/Noronha:Brazil/DeNoronha
BR:-180:-180:America/Araguaina:America/Bahia:America/Belem:America/Fortaleza:America/Maceio:America/Recife:America/Santarem:America/Sao_Paulo:Brazil/East
BR:-240:-240:America/Boa_Vista:America/Campo_Grande:America/Cuiaba:America/Manaus:America/Porto_Velho:Brazil/West
BR:-300:-300:America/Eirunepe:America/Porto_Acre:America/Rio_Branco:Brazil/Acre BS:-300:-240:America/Nassau
BT:360:360:Asia/Thimbu:Asia/Thimphu BW:120:120:Africa/Gaborone BY:180:180:Europe/Minsk BZ:-360:-360:America/Belize
CA:-210:-150:America/St_Johns:Canada/Newfoundland
CA:-240:-180:America/Glace_Bay:America/Goose_Bay:America/Halifax:America/Moncton:Canada/Atlantic
CA:-240:-240:America/Blanc-Sablon
CA:-300:-240:America/Iqaluit:America/Montreal:America/Nipigon:America/Pangnirtung:America/Thunder_Bay:America/Toronto:Canada/Eastern
CA:-300:-300:America/Atikokan
CA:-360:-300:America/Rainy_River:America/Rankin_Inlet:America/Resolute:America/Winnipeg:Canada/Central
CA:-360:-360:America/Regina:America/Swift_Current:Canada/Saskatchewan
CA:-420:-360:America/Cambridge_Bay:America/Edmonton:America/Inuvik:America/Yellowknife:Canada/Mountain
CA:-420:-420:America/Creston:America/Dawson:America/Dawson_Creek:America/Fort_Nelson:America/Whitehorse:Canada/Yukon
CA:-480:-420:America/Vancouver:Canada/Pacific CC:390:390:Indian/Cocos CD:120:120:Africa/Lubumbashi
CD:60:60:Africa/Kinshasa CF:60:60:Africa/Bangui CG:60:60:Africa/Brazzaville CH:60:120:Europe/Zurich
CI:0:0:Africa/Abidjan:Africa/Timbuktu:Iceland CK:-600:-600:Pacific/Rarotonga
CL:-180:-180:America/Coyhaique:America/Punta_Arenas CL:-180:-240:America/Santiago:Chile/Continental
CL:-300:-360:Chile/EasterIsland:Pacific/Easter CM:60:60:Africa/Douala CN:360:360:Asia/Kashgar:Asia/Urumqi
CN:480:480:Asia/Chongqing:Asia/Chungking:Asia/Harbin:Asia/Shanghai:PRC CO:-300:-300:America/Bogota
CR:-360:-360:America/Costa_Rica CU:-300:-240:America/Havana:Cuba CV:-60:-60:Atlantic/Cape_Verde
CW:-240:-240:America/Curacao CX:420:420:Indian/Christmas CY:120:180:Asia/Famagusta:Asia/Nicosia:Europe/Nicosia
CZ:60:120:Europe/Prague DE:60:120:Atlantic/Jan_Mayen:Europe/Berlin:Europe/Busingen DJ:180:180:Africa/Djibouti
DK:60:120:Europe/Copenhagen DM:-240:-240:America/Dominica DO:-240:-240:America/Santo_Domingo DZ:60:60:Africa/Algiers
EC:-300:-300:America/Guayaquil EC:-360:-360:Pacific/Galapagos EE:120:180:Europe/Tallinn
EG:120:180:Africa/Cairo:Egypt EH:60:60:Africa/El_Aaiun ER:180:180:Africa/Asmara ES:0:60:Atlantic/Canary
ES:60:120:Africa/Ceuta:Europe/Madrid ET:180:180:Africa/Addis_Ababa FI:120:180:Europe/Helsinki
FJ:720:720:Pacific/Fiji FK:-180:-180:Atlantic/Stanley FM:600:600:Pacific/Chuuk
FM:660:660:Pacific/Kosrae:Pacific/Pohnpei FO:0:60:Atlantic/Faeroe:Atlantic/Faroe FR:60:120:Europe/Paris
GA:60:60:Africa/Libreville GB:0:60:Europe/Belfast:Europe/London:GB:GB-Eire GD:-240:-240:America/Grenada
GE:240:240:Asia/Tbilisi GF:-180:-180:America/Cayenne GG:0:60:Europe/Guernsey GH:0:0:Africa/Accra
GI:60:120:Europe/Gibraltar GL:-120:-60:America/Godthab:America/Nuuk:America/Scoresbysund GL:-240:-180:America/Thule
GL:0:0:America/Danmarkshavn GM:0:0:Africa/Banjul GN:0:0:Africa/Conakry GP:-240:-240:America/Guadeloupe
GQ:60:60:Africa/Malabo GR:120:180:Europe/Athens GS:-120:-120:Atlantic/South_Georgia GT:-360:-360:America/Guatemala
GU:600:600:Pacific/Guam GW:0:0:Africa/Bissau GY:-240:-240:America/Guyana HK:480:480:Asia/Hong_Kong:Hongkong
HN:-360:-360:America/Tegucigalpa HR:60:120:Europe/Zagreb HT:-300:-240:America/Port-au-Prince
HU:60:120:Europe/Budapest ID:420:420:Asia/Jakarta:Asia/Pontianak ID:480:480:Asia/Makassar:Asia/Ujung_Pandang
ID:540:540:Asia/Jayapura IE:0:60:Eire:Europe/Dublin IL:120:180:Asia/Jerusalem:Asia/Tel_Aviv:Israel
IM:0:60:Europe/Isle_of_Man IN:330:330:Asia/Calcutta:Asia/Kolkata IO:360:360:Indian/Chagos IQ:180:180:Asia/Baghdad
IR:210:210:Asia/Tehran:Iran IT:60:120:Europe/Rome JE:0:60:Europe/Jersey JM:-300:-300:America/Jamaica:Jamaica
JO:180:180:Asia/Amman JP:540:540:Asia/Tokyo:Japan KE:180:180:Africa/Asmera:Africa/Nairobi KG:360:360:Asia/Bishkek
KH:420:420:Asia/Phnom_Penh KI:720:720:Pacific/Tarawa KI:780:780:Pacific/Enderbury:Pacific/Kanton
KI:840:840:Pacific/Kiritimati KM:180:180:Indian/Comoro KN:-240:-240:America/St_Kitts KP:540:540:Asia/Pyongyang
KR:540:540:Asia/Seoul:ROK KW:180:180:Asia/Kuwait KY:-300:-300:America/Cayman
KZ:300:300:Asia/Almaty:Asia/Aqtau:Asia/Aqtobe:Asia/Atyrau:Asia/Oral:Asia/Qostanay:Asia/Qyzylorda
LA:420:420:Asia/Vientiane LB:120:180:Asia/Beirut LC:-240:-240:America/St_Lucia LI:60:120:Europe/Vaduz
LK:330:330:Asia/Colombo LR:0:0:Africa/Monrovia LS:120:120:Africa/Maseru LT:120:180:Europe/Vilnius
LU:60:120:Europe/Luxembourg LV:120:180:Europe/Riga LY:120:120:Africa/Tripoli:Libya MA:60:60:Africa/Casablanca
MC:60:120:Europe/Monaco MD:120:180:Europe/Chisinau:Europe/Tiraspol ME:60:120:Europe/Podgorica
MF:-240:-240:America/Marigot MG:180:180:Indian/Antananarivo MH:720:720:Kwajalein:Pacific/Kwajalein:Pacific/Majuro
MK:60:120:Europe/Skopje ML:0:0:Africa/Bamako MM:390:390:Asia/Rangoon:Asia/Yangon MN:420:420:Asia/Hovd
MN:480:480:Asia/Choibalsan:Asia/Ulaanbaatar:Asia/Ulan_Bator MO:480:480:Asia/Macao:Asia/Macau
MP:600:600:Pacific/Saipan MQ:-240:-240:America/Martinique MR:0:0:Africa/Nouakchott MS:-240:-240:America/Montserrat
MT:60:120:Europe/Malta MU:240:240:Indian/Mauritius MV:300:300:Indian/Maldives MW:120:120:Africa/Blantyre
MX:-300:-300:America/Cancun MX:-360:-300:America/Matamoros:America/Ojinaga
MX:-360:-360:America/Bahia_Banderas:America/Chihuahua:America/Merida:America/Mexico_City:America/Monterrey:Mexico/General
MX:-420:-360:America/Ciudad_Juarez MX:-420:-420:America/Hermosillo:America/Mazatlan:Mexico/BajaSur
MX:-480:-420:America/Ensenada:America/Santa_Isabel:America/Tijuana:Mexico/BajaNorte
MY:480:480:Asia/Kuala_Lumpur:Asia/Kuching MZ:120:120:Africa/Maputo NA:120:120:Africa/Windhoek
NC:660:660:Pacific/Noumea NE:60:60:Africa/Niamey NF:720:660:Pacific/Norfolk NG:60:60:Africa/Lagos
NI:-360:-360:America/Managua NL:60:120:Europe/Amsterdam NO:60:120:Europe/Oslo
NP:345:345:Asia/Kathmandu:Asia/Katmandu NR:720:720:Pacific/Nauru NU:-660:-660:Pacific/Niue
NZ:780:720:Antarctica/South_Pole:NZ:Pacific/Auckland NZ:825:765:NZ-CHAT:Pacific/Chatham OM:240:240:Asia/Muscat
PA:-300:-300:America/Coral_Harbour:America/Panama PE:-300:-300:America/Lima PF:-540:-540:Pacific/Gambier
PF:-570:-570:Pacific/Marquesas PF:-600:-600:Pacific/Tahiti PG:600:600:Pacific/Port_Moresby:Pacific/Truk:Pacific/Yap
PG:660:660:Pacific/Bougainville PH:480:480:Asia/Manila PK:300:300:Asia/Karachi PL:60:120:Europe/Warsaw:Poland
PM:-180:-120:America/Miquelon PN:-480:-480:Pacific/Pitcairn PR:-240:-240:America/Puerto_Rico:America/Virgin
PS:120:180:Asia/Gaza:Asia/Hebron PT:-60:0:Atlantic/Azores PT:0:60:Atlantic/Madeira:Europe/Lisbon:Portugal
PW:540:540:Pacific/Palau PY:-180:-180:America/Asuncion QA:180:180:Asia/Qatar RE:240:240:Indian/Reunion
RO:120:180:Europe/Bucharest RS:60:120:Europe/Belgrade RU:120:120:Europe/Kaliningrad
RU:180:180:Europe/Kirov:Europe/Moscow:Europe/Volgograd:W-SU
RU:240:240:Europe/Astrakhan:Europe/Samara:Europe/Saratov:Europe/Ulyanovsk RU:300:300:Asia/Yekaterinburg
RU:360:360:Asia/Omsk RU:420:420:Asia/Barnaul:Asia/Krasnoyarsk:Asia/Novokuznetsk:Asia/Novosibirsk:Asia/Tomsk
RU:480:480:Asia/Irkutsk RU:540:540:Asia/Chita:Asia/Khandyga:Asia/Yakutsk RU:600:600:Asia/Ust-Nera:Asia/Vladivostok
RU:660:660:Asia/Magadan:Asia/Sakhalin:Asia/Srednekolymsk RU:720:720:Asia/Anadyr:Asia/Kamchatka
RW:120:120:Africa/Kigali SA:180:180:Asia/Riyadh SB:660:660:Pacific/Guadalcanal:Pacific/Ponape SC:240:240:Indian/Mahe
SD:120:120:Africa/Khartoum SE:60:120:Europe/Stockholm SG:480:480:Asia/Singapore:Singapore SH:0:0:Atlantic/St_Helena
SI:60:120:Europe/Ljubljana SJ:60:120:Arctic/Longyearbyen SK:60:120:Europe/Bratislava SL:0:0:Africa/Freetown
SM:60:120:Europe/San_Marino SN:0:0:Africa/Dakar SO:180:180:Africa/Mogadishu SR:-180:-180:America/Paramaribo
SS:120:120:Africa/Juba ST:0:0:Africa/Sao_Tome SV:-360:-360:America/El_Salvador SX:-240:-240:America/Lower_Princes
SY:180:180:Asia/Damascus SZ:120:120:Africa/Mbabane TC:-300:-240:America/Grand_Turk TD:60:60:Africa/Ndjamena
TF:300:300:Indian/Kerguelen TG:0:0:Africa/Lome TH:420:420:Asia/Bangkok TJ:300:300:Asia/Dushanbe
TK:780:780:Pacific/Fakaofo TL:540:540:Asia/Dili TM:300:300:Asia/Ashgabat:Asia/Ashkhabad TN:60:60:Africa/Tunis
TO:780:780:Pacific/Tongatapu TR:180:180:Asia/Istanbul:Europe/Istanbul:Turkey TT:-240:-240:America/Port_of_Spain
TV:720:720:Pacific/Funafuti TW:480:480:Asia/Taipei:ROC TZ:180:180:Africa/Dar_es_Salaam
UA:120:180:Europe/Kiev:Europe/Kyiv:Europe/Uzhgorod:Europe/Zaporozhye UA:180:180:Europe/Simferopol
UG:180:180:Africa/Kampala UM:-660:-660:Pacific/Midway UM:720:720:Pacific/Wake
US:-300:-240:America/Detroit:America/Fort_Wayne:America/Indiana/Indianapolis:America/Indiana/Marengo:America/Indiana/Petersburg:America/Indiana/Vevay:America/Indiana/Vincennes:America/Indiana/Winamac:America/Indianapolis:America/Kentucky/Louisville:America/Kentucky/Monticello:America/Louisville:America/New_York:US/East-Indiana:US/Eastern:US/Michigan
US:-360:-300:America/Chicago:America/Indiana/Knox:America/Indiana/Tell_City:America/Knox_IN:America/Menominee:America/North_Dakota/Beulah:America/North_Dakota/Center:America/North_Dakota/New_Salem:US/Central:US/Indiana-Starke
US:-420:-360:America/Boise:America/Denver:America/Shiprock:Navajo:US/Mountain
US:-420:-420:America/Phoenix:US/Arizona US:-480:-420:America/Los_Angeles:US/Pacific
US:-540:-480:America/Anchorage:America/Juneau:America/Metlakatla:America/Nome:America/Sitka:America/Yakutat:US/Alaska
US:-600:-540:America/Adak:America/Atka:US/Aleutian US:-600:-600:Pacific/Honolulu:Pacific/Johnston:US/Hawaii
UY:-180:-180:America/Montevideo UZ:300:300:Asia/Samarkand:Asia/Tashkent VA:60:120:Europe/Vatican
VC:-240:-240:America/St_Vincent VE:-240:-240:America/Caracas VG:-240:-240:America/Tortola
VI:-240:-240:America/St_Thomas VN:420:420:Asia/Ho_Chi_Minh:Asia/Saigon VU:660:660:Pacific/Efate
WF:720:720:Pacific/Wallis WS:780:780:Pacific/Apia YE:180:180:Asia/Aden YT:180:180:Indian/Mayotte
ZA:120:120:Africa/Johannesburg ZM:120:120:Africa/Lusaka ZW:120:120:Africa/Harare`;
