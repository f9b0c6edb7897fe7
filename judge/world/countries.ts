/**
 * Countries with the real address blocks of two internet providers and a mobile carrier, and three cities. Columns:
 * code, currency, units per dollar, hours from UTC | providers | carrier | city, postal code, latitude, longitude.
 */
const TABLE = `
US USD 1 -6|73.10-190 99.0-62|172.32-63|Austin 78701 30.27 -97.74;Portland 97201 45.52 -122.68;Columbus 43215 39.96 -83
DE EUR 0.92 1|87.128-191 95.88-91|109.40-43|Hamburg 20095 53.55 9.99;Munich 80331 48.14 11.58;Cologne 50667 50.94 6.96
GB GBP 0.79 0|86.128-191 90.192-223|188.28-31|Leeds LS1_4AP 53.8 -1.55;Bristol BS1_5TR 51.45 -2.59;Cardiff CF10_1EP 51.48 -3.18
FR EUR 0.92 1|88.160-191 93.0-31|82.64-67|Lyon 69001 45.76 4.84;Nantes 44000 47.22 -1.55;Lille 59000 50.63 3.06
ES EUR 0.92 1|83.32-63 90.160-175|84.120-127|Valencia 46001 39.47 -0.38;Bilbao 48001 43.26 -2.93;Malaga 29001 36.72 -4.42
NL EUR 0.92 1|77.160-175 84.24-31|94.208-215|Utrecht 3511 52.09 5.12;Groningen 9711 53.22 6.57;Breda 4811 51.59 4.78
PL PLN 4 1|83.0-31 89.64-79|188.146-147|Gdynia 81-300 54.52 18.53;Krakow 31-001 50.06 19.94;Poznan 61-001 52.41 16.93
IT EUR 0.92 1|79.0-55 93.32-63|5.168-171|Turin 10121 45.07 7.69;Bari 70121 41.12 16.87;Bologna 40121 44.49 11.34
IN INR 85 5.5|122.160-163 49.32-39|49.40-47|Pune 411001 18.52 73.86;Jaipur 302001 26.91 75.79;Kochi 682001 9.93 76.27
CA CAD 1.37 -5|99.224-255 70.24-31|72.136-139|Ottawa K1P_1J1 45.42 -75.7;Calgary T2P_1J9 51.05 -114.07;Halifax B3J_1A1 44.65 -63.58
AU AUD 1.5 10|1.120-159 49.176-187|49.188-199|Perth 6000 -31.95 115.86;Adelaide 5000 -34.93 138.6;Hobart 7000 -42.88 147.33
JP JPY 150 9|153.128-200 126.0-62|153.201-255|Sendai 980-0011 38.27 140.87;Nagoya 450-0002 35.18 136.91;Fukuoka 810-0001 33.59 130.4
TR TRY 40 3|78.160-191 85.96-103|85.104-111|Izmir 35210 38.42 27.14;Bursa 16010 40.19 29.06;Adana 01010 37 35.32
RO RON 4.6 2|86.120-123 86.124-125|86.126-127|Cluj 400001 46.77 23.59;Iasi 700001 47.16 27.59;Brasov 500001 45.65 25.61
VN VND 25000 7|14.160-191 27.64-79|171.224-255|Hue 530000 16.46 107.59;Hanoi 100000 21.03 105.85;Danang 550000 16.05 108.2
ID IDR 16000 7|36.64-79 180.240-249|36.80-95|Medan 20111 3.6 98.67;Bandung 40111 -6.92 107.61;Makassar 90111 -5.15 119.43
NG NGN 1500 1|105.112-115 197.210-210|105.116-119|Lagos 100001 6.52 3.38;Kano 700001 12 8.52;Ibadan 200001 7.38 3.95
UA UAH 41 2|37.52-53 37.54-54|37.55-55|Lviv 79000 49.84 24.03;Odesa 65000 46.48 30.73;Dnipro 49000 48.46 35.05
`;

/** A block of addresses that share their first octet. */
export interface Block {
  readonly first: number;
  readonly from: number;
  readonly to: number;
}
export interface City {
  readonly name: string;
  readonly postalCode: string;
  readonly latitude: number;
  readonly longitude: number;
}
export interface Country {
  readonly code: string;
  readonly currency: string;
  readonly perDollar: number;
  readonly hoursFromUtc: number;
  readonly providers: readonly Block[];
  readonly carrier: Block;
  readonly cities: readonly City[];
}

const blockOf = (text: string): Block => {
  const [first, from, to] = text.split(/[.-]/).map(Number);
  return { first: first as number, from: from as number, to: to as number };
};
const cityOf = (text: string): City => {
  const [name = '', postalCode = '', latitude, longitude] = text.split(' ');
  return {
    name,
    postalCode: postalCode.replace('_', ' '),
    latitude: Number(latitude),
    longitude: Number(longitude),
  };
};

export const COUNTRIES: readonly Country[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [head = '', providers = '', carrier = '', cities = ''] = line.split('|');
    const [code = '', currency = '', perDollar, hours] = head.split(' ');
    return {
      code,
      currency,
      perDollar: Number(perDollar),
      hoursFromUtc: Number(hours),
      providers: providers.split(' ').map(blockOf),
      carrier: blockOf(carrier),
      cities: cities.split(';').map(cityOf),
    };
  });

export const countryNamed = (code: string): Country => {
  const found = COUNTRIES.find((country) => country.code === code);
  if (found === undefined) throw new Error(`The judge has no country ${code}.`);
  return found;
};
