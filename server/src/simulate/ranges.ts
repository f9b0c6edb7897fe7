export type Range = readonly [number, number];

/** Ranges from which every world draws its properties, log-uniformly. Kinds of business override some of them. */
export interface Ranges {
  /** Spread of the logarithm of amounts between users, and between the payments of a user. */
  readonly dollarsOfUsersSpread: Range;
  readonly dollarsSpread: Range;
  readonly rateSpread: Range;
  /** Share of payments to favourite counterparties. */
  readonly loyalty: Range;
  /** Share of payments to a counterparty that no customer ever paid before, where such payments occur. */
  readonly newPayeeShare: Range;
  /** Factors on payments at weekends and in the days after payday. */
  readonly weekend: Range;
  readonly payday: Range;
  /** Share of actions at any hour, waking or not. */
  readonly night: Range;
  readonly loginBefore: Range;
  readonly browsing: Range;
  readonly typos: Range;
  readonly retries: Range;
  /** Share of round amounts, and probability that the business has a price list. */
  readonly roundShare: Range;
  readonly listedShare: Range;
  /** Factor on the first payments of a new customer. */
  readonly firstFactor: Range;
  /** Unusual events, sign-ups and trips, per user and day. */
  readonly unusualEventsADay: Range;
  readonly newUsersADay: Range;
  readonly travelShare: Range;
  /** Payouts per user and day, where customers have payouts. */
  readonly payouts: Range;
  /** Share of users who earn money: sellers, drivers. */
  readonly payeeShare: Range;
  /** Share of users who join a household, and of these the share that shares rooms only, not money. */
  readonly familyShare: Range;
  readonly flatShare: Range;
  readonly officeShare: Range;
  readonly peoplePerOffice: Range;
  /** Share of colleagues who pay with the card of their company. */
  readonly companyCardShare: Range;
  /** Share of users for whom a relative or carer also pays, from another home. */
  readonly helperShare: Range;
  /** Share of users whose card and billing address belong to another country than their home. */
  readonly expatShare: Range;
  /** Share of users who pay for others, each time with other cards and addresses. */
  readonly agentShare: Range;
  /** Share of users with many cards of their own. */
  readonly manyCardsShare: Range;
  /** Share of payments shipped to somebody else. */
  readonly giftShare: Range;
  /** Share of users whose browser forgets the device identifier. */
  readonly forgetfulShare: Range;
  /** Share of sessions from a network away from home: hotel, café, relatives. */
  readonly awayShare: Range;
  readonly mobileShare: Range;
  readonly carrierAddresses: Range;
  readonly v6Share: Range;
  readonly homeChurn: Range;
  readonly vpnShare: Range;
  readonly vpnAddresses: Range;
  /** Share of users whose company or cloud computer has an address in a data centre. */
  readonly hostedShare: Range;
  /** Number of devices that many customers share, and the share of payments made on them. */
  readonly kiosks: Range;
  readonly kioskShare: Range;
  readonly throwAwayShare: Range;
  readonly ownDomainShare: Range;
  /** Share of customers whose e-mail address has a `+tag`. */
  readonly plusShare: Range;
  /** Share of addresses that are typed in another spelling. */
  readonly respellShare: Range;
  /** Default share of fraud among all items. */
  readonly fraudShare: Range;
  /** Longest wait of an attacker between break-in and theft, in days. */
  readonly patienceDays: Range;
  /** Share of attacks by someone who attacked before, with the same devices, networks, mailbox, address and payee. */
  readonly returnShare: Range;
  /** Share of fraud labels with a reason, where the business gives reasons. */
  readonly reasonShare: Range;
}

export const TRAINING_RANGES: Ranges = {
  dollarsOfUsersSpread: [0.2, 0.9],
  dollarsSpread: [0.15, 1.1],
  rateSpread: [0.3, 1.1],
  loyalty: [0.4, 0.95],
  newPayeeShare: [0.01, 0.15],
  weekend: [0.5, 1.6],
  payday: [1.1, 2],
  night: [0.02, 0.3],
  loginBefore: [0.2, 1],
  browsing: [0.02, 1.5],
  typos: [0.01, 0.12],
  retries: [0.004, 0.06],
  roundShare: [0.02, 0.12],
  listedShare: [0.2, 0.3],
  firstFactor: [0.8, 1.3],
  unusualEventsADay: [0.004, 0.05],
  newUsersADay: [0.001, 0.05],
  travelShare: [0.0001, 0.003],
  payouts: [0.001, 0.04],
  payeeShare: [0.001, 0.01],
  familyShare: [0.02, 0.25],
  flatShare: [0.1, 0.5],
  officeShare: [0.02, 0.4],
  peoplePerOffice: [3, 120],
  companyCardShare: [0.05, 0.3],
  helperShare: [0.005, 0.05],
  expatShare: [0.005, 0.08],
  agentShare: [0.001, 0.006],
  manyCardsShare: [0.005, 0.04],
  giftShare: [0.005, 0.12],
  forgetfulShare: [0.01, 0.15],
  awayShare: [0.005, 0.06],
  mobileShare: [0.1, 0.7],
  carrierAddresses: [4, 250],
  v6Share: [0.05, 0.6],
  homeChurn: [0.003, 1],
  vpnShare: [0.01, 0.25],
  vpnAddresses: [5, 120],
  hostedShare: [0.001, 0.02],
  kiosks: [1, 6],
  kioskShare: [0.002, 0.02],
  throwAwayShare: [0.003, 0.06],
  ownDomainShare: [0.03, 0.3],
  plusShare: [0.005, 0.04],
  respellShare: [0.005, 0.1],
  fraudShare: [0.003, 0.05],
  patienceDays: [4, 16],
  returnShare: [0.1, 0.7],
  reasonShare: [0.4, 1],
};

/** Judging worlds are typical in other places, so that nothing measured on them was fitted to one range. */
export const JUDGING_RANGES: Ranges = {
  ...TRAINING_RANGES,
  dollarsOfUsersSpread: [0.3, 1],
  dollarsSpread: [0.2, 0.9],
  loyalty: [0.5, 0.9],
  weekend: [0.6, 1.4],
  night: [0.03, 0.2],
  loginBefore: [0.3, 0.95],
  browsing: [0.05, 1],
  typos: [0.015, 0.15],
  retries: [0.006, 0.05],
  roundShare: [0.03, 0.09],
  firstFactor: [0.9, 1.5],
  unusualEventsADay: [0.006, 0.04],
  newUsersADay: [0.002, 0.03],
  travelShare: [0.0005, 0.004],
  payouts: [0.002, 0.03],
  familyShare: [0.05, 0.3],
  flatShare: [0.2, 0.6],
  officeShare: [0.03, 0.3],
  peoplePerOffice: [5, 80],
  companyCardShare: [0.1, 0.4],
  helperShare: [0.01, 0.08],
  expatShare: [0.01, 0.1],
  manyCardsShare: [0.01, 0.06],
  giftShare: [0.01, 0.1],
  forgetfulShare: [0.02, 0.2],
  awayShare: [0.01, 0.08],
  mobileShare: [0.3, 0.8],
  carrierAddresses: [8, 400],
  homeChurn: [0.005, 0.6],
  vpnShare: [0.02, 0.15],
  vpnAddresses: [10, 300],
  hostedShare: [0.001, 0.015],
  throwAwayShare: [0.004, 0.04],
  plusShare: [0.01, 0.06],
  respellShare: [0.01, 0.15],
  fraudShare: [0.008, 0.03],
  patienceDays: [0.5, 14],
  returnShare: [0.2, 0.5],
  reasonShare: [0.3, 0.95],
};
