import { getDeviceToken } from './index.ts';

/** Defines `Portcullis.getDeviceToken` for pages without a bundler. If loaded twice, the first definition stays. */
const page = globalThis as { Portcullis?: { getDeviceToken?: typeof getDeviceToken } };
page.Portcullis = { getDeviceToken, ...page.Portcullis };
