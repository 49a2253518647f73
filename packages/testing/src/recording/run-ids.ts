const mark = '[id of the run]'

/** An id that was made by chance, such as the usual ones of runs: another run has another. */
const byChance = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function isByChance(runId: string): boolean {
  return byChance.test(runId)
}

/** What JSON keeps of a value, without the id of its run: tools may tell it, and so may states within. */
export function withoutRunId<T>(value: T, runId: string): T {
  const json = JSON.stringify(value)
  return JSON.parse(isByChance(runId) ? json.replaceAll(runId, mark) : json)
}

/** The value as it is in this run. */
export function withRunId<T>(value: T, runId: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll(mark, runId))
}
