declare module 'cluster-key-slot' {
  /** The slot of a Redis Cluster that holds a key: CRC16 of the hash tag, or of the whole key where there is none. */
  export default function slotOf(key: string | Uint8Array): number;
}
