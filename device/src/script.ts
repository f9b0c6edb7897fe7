import { getDeviceToken } from './index.ts';

/** `Portcullis.getDeviceToken` for pages without a bundler. Loaded twice, the first stays. */
const page = globalThis as { Portcullis?: { getDeviceToken?: typeof getDeviceToken } };
page.Portcullis = { getDeviceToken, ...page.Portcullis };
