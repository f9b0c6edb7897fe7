/** API versions that a request can select with `X-Api-Version`, oldest first. */
export const API_VERSIONS = ['2026-11-01'] as const;
export const NEWEST_API_VERSION = '2026-11-01' satisfies (typeof API_VERSIONS)[number];
