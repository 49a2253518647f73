// Runs one peer on one scenario in its own process: work.js PEER SCENARIO ORIGIN
// Each message from the parent starts one repetition; the response is a Measure.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Measure, RunOnce } from './peer.js'
import { prepare, promptOf, scenarioOf, textOf } from './scenarios.js'

const [name = '', scenarioName = '', origin = ''] = process.argv.slice(2)
const scenario = scenarioOf(scenarioName)

let ran = 0
/** CPU time of the process in microseconds at each tool call. Recorded for long conversations only: reading it has a cost. */
let marks: number[] = []
const note = scenario.steps >= 400 ? () => marks.push(cpu()) : () => {}
let conversations = 0
const run = await prepare(name, {
  scenario,
  origin,
  ran() {
    ran++
    note()
  },
})

process.on('message', async ({ runs }: { runs: number }) => {
  process.send?.(await repeat(run, runs))
})
process.on('disconnect', () => process.exit())
process.send?.('ready')

async function repeat(runOnce: RunOnce, runs: number): Promise<Measure> {
  ran = 0
  marks = []
  const failures: string[] = []
  const delay = monitorEventLoopDelay({ resolution: 10 })
  const before = process.memoryUsage.rss()
  delay.enable()
  const start = cpu()
  let left = runs
  const work = async () => {
    while (left-- > 0) {
      const id = `${process.pid}-${conversations++}`
      const text = await runOnce(promptOf(id)).catch((error: unknown) => `failed: ${String(error)}`)
      if (text !== textOf(id, scenario).join('')) failures.push(text)
    }
  }
  await Promise.all(Array.from({ length: Math.min(runs, scenario.atOnce) }, work))
  const cpuMs = (cpu() - start) / 1000
  delay.disable()
  const [example] = failures
  return {
    cpuMs,
    ran,
    wrong: failures.length,
    ...(example === undefined ? {} : { example: example.slice(0, 300) }),
    grownMiB: (process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20,
    delayMs: delay.percentile(99) / 1e6,
    ...(scenario.steps >= 400 ? { growth: growthOf(marks) } : {}),
  }
}

function cpu(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Cost of steps 361 to 400 of each conversation, relative to steps 11 to 50. */
function growthOf(all: readonly number[]): number {
  const between = (from: number, to: number) => (all[to] ?? 0) - (all[from] ?? 0)
  let [early, late] = [0, 0]
  for (let at = 0; at + 400 <= all.length; at += 400) {
    early += between(at + 10, at + 49)
    late += between(at + 360, at + 399)
  }
  return late / early
}
