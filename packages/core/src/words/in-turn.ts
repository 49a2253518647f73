/** Runs work of one key one after another, in the order it comes; work of other keys does not wait for it. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function inTurn(): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = last.get(key)
    const mine = before ? before.then(work, work) : work()
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}
