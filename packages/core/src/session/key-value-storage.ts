/** What is used of a storage of the package `unstorage`. */
export interface KeyValueStorage {
  getItem(key: string): Promise<unknown>
  setItem(key: string, value: string): Promise<void>
  removeItem(key: string): Promise<void>
  /** The keys that begin with `base`. */
  getKeys(base: string): Promise<string[]>
}
