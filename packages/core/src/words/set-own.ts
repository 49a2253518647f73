/** Sets an own field: plain assignment would let a key named `__proto__` change what the record is. */
export function setOwn(record: Record<string, unknown>, name: string, value: unknown): void {
  if (Object.hasOwn(record, name) || !(name in record)) record[name] = value
  else Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true })
}
