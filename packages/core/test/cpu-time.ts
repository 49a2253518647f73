/**
 * Milliseconds of processor time that some work takes in this process, its threads included. Unlike the clock it does
 * not go on while other processes have the processor, so a busy machine fails no test.
 */
export async function cpuTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
