import { type Span, stepsBetween } from './walker.js'

/** What a step costs on a host, in milliseconds. */
export interface PerStep {
  readonly host: string
  readonly median: number
  readonly least: number
  readonly cpu: number
  /** The server's CPU time. Absent if there is no server, or if the time cannot be read. */
  readonly serverCpu?: number
  /** The time that a run takes outside its steps: until a worker claims it, and until the caller gets the result. */
  readonly around: number
}

/** How many runs to skip at the start, because the first ones are slower. */
const warm = 5

/** Executes runs sequentially. */
export async function perStep(
  host: string,
  { runs, spans, run, serverCpu = () => undefined }: Course,
): Promise<PerStep> {
  for (let count = 0; count < warm; count++) await run()
  spans.splice(0)
  const around: number[] = []
  const before = serverCpu()
  for (let count = 0; count < runs; count++) {
    const began = performance.now()
    await run()
    around.push(performance.now() - began - (spans.at(-1)?.ms ?? 0))
  }
  const after = serverCpu()
  const each = spans.map(({ ms }) => ms / stepsBetween)
  return {
    host,
    median: median(each),
    least: Math.min(...each),
    cpu: median(spans.map(({ cpuMs }) => cpuMs / stepsBetween)),
    ...(before === undefined || after === undefined
      ? {}
      : { serverCpu: (after - before) / runs / stepsBetween }),
    around: median(around),
  }
}

interface Course {
  readonly runs: number
  readonly spans: Span[]
  run(): Promise<unknown>
  serverCpu?(): number | undefined
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
