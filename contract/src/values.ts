/**
 * The part of the contract without schemas. Loading the library of the schemas takes longer than starting Node, so threads
 * and commands that check no requests import only this.
 */
export * from './card-numbers/mask.ts';
export { MIN_CARD_DIGITS } from './card-numbers/runs.ts';
export * from './constants.ts';
export * from './countries.ts';
export * from './currencies.ts';
export * from './error-codes.ts';
export * from './id-prefixes.ts';
export * from './ip.ts';
export * from './key-kinds.ts';
export * from './permissions.ts';
export * from './timestamps.ts';
export * from './versions.ts';
