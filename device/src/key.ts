const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DATABASE = 'portcullis-device';
const STORE = 'keys';
const ONLY = 'signing';

export interface DeviceKey {
  /** Not extractable: no script in the page can read it. */
  readonly privateKey: CryptoKey;
  /** The uncompressed point, 65 bytes. */
  readonly publicKey: Uint8Array;
}

const isKey = (value: unknown): value is DeviceKey => {
  const { privateKey, publicKey } = (value ?? {}) as Partial<DeviceKey>;
  return privateKey instanceof CryptoKey && publicKey instanceof Uint8Array;
};

const make = async (): Promise<DeviceKey> => {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify']);
  return { privateKey, publicKey: new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)) };
};
let own: Promise<DeviceKey> | undefined;
/** A new key that this page stores if the browser has none. Without storage it lives as long as the page. */
export const ownKey = (): Promise<DeviceKey> => {
  own ??= make();
  return own;
};

const open = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = (event) => {
      // Firefox reports an unprevented error to the page.
      event.preventDefault();
      reject(request.error);
    };
  });

/** Runs one transaction on the only record. Resolves with the result once it is committed. */
const transact = (
  database: IDBDatabase,
  mode: IDBTransactionMode,
  decide: (found: unknown, store: IDBObjectStore) => DeviceKey | undefined,
): Promise<DeviceKey | undefined> =>
  new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, mode);
    const store = transaction.objectStore(STORE);
    const request = store.get(ONLY);
    let result: DeviceKey | undefined;
    request.onsuccess = () => {
      try {
        result = decide(request.result, store);
      } catch (error) {
        // Browsers that cannot store keys (Firefox in a private window) throw here; only the page would see the exception.
        reject(error);
        transaction.abort();
      }
    };
    transaction.oncomplete = () => resolve(result);
    transaction.onerror = (event) => event.preventDefault();
    transaction.onabort = () => reject(transaction.error);
  });

const find = async (): Promise<DeviceKey> => {
  const database = await open();
  // Do not block a script that deletes the database.
  database.onversionchange = () => database.close();
  try {
    const found = await transact(database, 'readonly', (value) => (isKey(value) ? value : undefined));
    if (found !== undefined) return found;
    const candidate = await ownKey();
    // Writing tabs wait for each other: all use the first key and discard their own.
    const kept = await transact(database, 'readwrite', (value, store) => {
      if (isKey(value)) return value;
      store.put(candidate, ONLY);
      return candidate;
    });
    return kept as DeviceKey;
  } finally {
    database.close();
  }
};
let kept: Promise<DeviceKey> | undefined;
/** The stored key of this browser for this origin, shared by all tabs. A failure is retried with the next token. */
export const keptKey = (): Promise<DeviceKey> => {
  kept ??= find().catch((error) => {
    kept = undefined;
    throw error;
  });
  return kept;
};

export const sign = async ({ privateKey }: DeviceKey, text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.sign(ALGORITHM, privateKey, new TextEncoder().encode(text)));
