import { busySteps } from './busy.js'
import type { PerStep } from './per-step.js'
import type { Throughput } from './throughput.js'
import { stepsBetween } from './walker.js'

export function tellSteps(rows: readonly PerStep[]): void {
  const [first] = rows
  console.log(
    `\nA step, in ms: the model and the tool take no time; ${stepsBetween} steps a run, one run at a time.`,
  )
  tell([
    ['host', 'median', 'least', 'to memory', 'CPU here', 'CPU server', 'around a run'],
    ...rows.map(({ host, median, least, cpu, serverCpu, around }) => [
      host,
      median.toFixed(2),
      least.toFixed(2),
      `${(median / (first?.median ?? 1)).toFixed(1)} x`,
      cpu.toFixed(2),
      serverCpu?.toFixed(2) ?? '-',
      around.toFixed(1),
    ]),
  ])
}

export function tellThroughput(rows: readonly Throughput[]): void {
  const [first] = rows
  console.log(
    `\nDBOS, each worker a process: the model takes 15 ms, tools 10 ms; ${busySteps} steps a run, a worker has 20 concurrent runs.`,
  )
  tell([
    ['workers', 'steps/s', 'ratio', 'runs/s', 'runs by each'],
    ...rows.map(({ workers, stepsPerSecond, runsPerSecond, shares }) => [
      String(workers),
      stepsPerSecond.toFixed(0),
      `${(stepsPerSecond / (first?.stepsPerSecond ?? 1)).toFixed(2)} x`,
      runsPerSecond.toFixed(1),
      shares.join(' + '),
    ]),
  ])
  console.log('\nA step of those: CPU in ms, and what the database did and keeps of it.')
  tell([
    ['workers', 'CPU worker', 'CPU database', 'transactions', 'bytes', 'connections in all'],
    ...rows.map(({ workers, workerCpu, databaseCpu, transactions, bytes, connections }) => [
      String(workers),
      workerCpu.toFixed(2),
      databaseCpu?.toFixed(2) ?? '-',
      transactions.toFixed(1),
      bytes.toFixed(0),
      String(connections),
    ]),
  ])
  console.log('\nA worker with nothing to do, in a second: CPU in ms.')
  tell([
    ['workers', 'CPU worker', 'CPU database', 'transactions'],
    ...rows.map(({ workers, idle }) => [
      String(workers),
      idle.workerCpu.toFixed(0),
      idle.databaseCpu?.toFixed(0) ?? '-',
      idle.transactions.toFixed(0),
    ]),
  ])
}

/** Formats a table. The first column is aligned left, the others right. */
function tell(lines: readonly (readonly string[])[]): void {
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0))) ?? []
  for (const line of lines) {
    const cells = widths.map((width, at) => {
      const cell = line[at] ?? ''
      return at === 0 ? cell.padEnd(width) : cell.padStart(width)
    })
    console.log(cells.join('  '))
  }
}
