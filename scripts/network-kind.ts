/** What a network is for: 0 anything, 1 servers for rent, 2 a virtual private network, 3 both. */
export type Kind = 0 | 1 | 2 | 3;

const numbers = (text: string): ReadonlySet<number> => new Set(text.trim().split(/\s+/).map(Number));

/**
 * Providers of rented servers, by the number of their network, put together by hand from the names in the registries. Left
 * out on purpose: carriers that also sell servers (Cogent, Hurricane Electric, Zayo), Google Fiber, security gateways of
 * companies (Zscaler), and 36183 and 54113 of Akamai and Fastly, through which browsers of private persons are relayed.
 */
const HOSTING = numbers(`
  16509 14618 8987 801 7224 62785 15169 396982 394089 36384 19527 43515 396178 214609 214611 8075 8070 8069 8068 3598
  35106 200517 31898 54253 64102 20054 46558 37963 45102 134963 45090 132203 133478 55990 136907 137718 396986 38365
  55967 135377 59077 59019 137280 58593 16276 35540 24940 213230 212317 215859 14061 20473 63949 48337 20940 16625
  13335 209242 14789 132892 202623 12876 29447 202023 54265 8560 6724 51167 40021 141995 197540 214996 47583 26496
  398101 398787 22612 60781 395954 7203 30633 396190 27411 396362 19148 394380 393886 28753 32613 59253 205544 133752
  134351 38930 9009 42973 16247 212238 60068 62240 33070 19994 27357 15395 24867 45187 58683 39921 36351 21859 62610
  7979 29802 61317 35916 62904 49532 30058 32475 13789 12182 14742 14744 12180 14745 10912 10913 12179 49505 50340
  9123 210976 197695 198610 200350 57043 50867 395839 210644 216246 200019 204601 44051 7684 9370 9371 7506 58791
  135161 17707 23576 45974 151386 61157 6659 20860 35425 47264 61323 50957 42831 27715 263590 28299 37153 12824 15967
  396356 262287 40676 35908 4213 19318 26666 42708 49282 44066 31400 20278 18978 199524 202422 49544 46844 8315 49981
  265825 11878 46562 8648 45012 47215 63023 62563 10439 64286 33182 18450 42473 29222 834 36352 54290 11989 40092 9115
  40509 12637 202053 25697 399073 3223 50673 43350 64437 21409 33387 56630 8849 23470 53667 36007 210329 63473 29169
  203476 23033 27323 27176 51468 31103 15817 29691 34762 16371 38719 34920 12586 197549 41412 42263 62214 210403 51013
  197019 200651 201200 53589 21069 22822 30081 19551 18229 133800 20454 19437 18779 8972 21499 20773 34011 55293 22611
  3842 54641 27589 21769 47007 45671 38880 55720 48635 16125 46606 26347 46475 55286 32244 398493 20264 8100 25820
  54600 53340 46664 46261 394695 22552 44901 206996 59711 202015 60117 14956 216071 152194 906 135629 400619 138915
  39287 58061 200052 34788 51765 50131 201106
`);

/** Operators of virtual private networks for anybody (Nord, Proton, Mullvad, Windscribe, IVPN), and hosts whose visitors mostly are such. */
const VPN = numbers(`
  136787 141039 147049 207137 272096 209103 208172 199218 39351 49399 214813 216025 397540 203619 198605
  9009 42973 16247 212238 60068
`);

/** Providers of access, schools and the like whose names would pass for a host's. */
const NEITHER = numbers('41012 37611 39834 36183 54113');

const HOSTING_NAME =
  /hosting|web ?host|\bhost\b|\bcloud|cloud\b|data ?cent(?:er|re)|\bvps\b|(?<!ob|con|shadow)servers?\b|\bcolo(?:cation)?\b|colocation/i;
const ACCESS_NAME =
  /telecom|telekom|telecommunic|broadband|banda larga|\bcable|fib(?:er|re)|wireless|wi-?fi|mobile|\bisp\b|internet service provider|communications|universit|college|school|hospital|health|bank|insurance|government|ministry|county|\b(?:st\.?|saint) cloud/i;
const VPN_NAME = /\bvpn\b/i;

export const isHostingName = (name: string): boolean => HOSTING_NAME.test(name) && !ACCESS_NAME.test(name);

export const kindOf = (asn: number, name: string): Kind => {
  if (NEITHER.has(asn)) return 0;
  const hosting = HOSTING.has(asn) || isHostingName(name);
  const vpn = VPN.has(asn) || (VPN_NAME.test(name) && !ACCESS_NAME.test(name));
  return ((hosting ? 1 : 0) + (vpn ? 2 : 0)) as Kind;
};
