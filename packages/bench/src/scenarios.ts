import * as z from 'zod'
import type { BenchTool, Peer, RunOnce } from './peer.js'

/** A measured conversation, known to both the server and the program. */
export interface Scenario {
  readonly name: string
  /** Replies with tool calls before the final text reply. */
  readonly steps: number
  readonly calls: number
  readonly tools: number
  readonly stream: boolean
  /** Deltas of the last reply's text. */
  readonly deltas: number
  /** Fragments of one call's arguments. */
  readonly fragments: number
  /** Whether the server writes each chunk separately. Otherwise it writes 16 KiB at once. */
  readonly each: boolean
  /** Duration of a tool call in milliseconds. */
  readonly waitMs: number
  /** Conversations per repetition. */
  readonly runs: number
  /** Concurrent conversations. */
  readonly atOnce: number
  /** Fraction of the rounds that include this scenario. Less than 1 for slow scenarios. */
  readonly share: number
}

const plain = {
  steps: 0,
  calls: 1,
  tools: 1,
  stream: false,
  deltas: 1,
  fragments: 1,
  each: false,
  waitMs: 0,
  runs: 10,
  atOnce: 1,
  share: 1,
}

export const scenarios: readonly Scenario[] = [
  { ...plain, name: 'loop-20x1', steps: 20 },
  { ...plain, name: 'loop-20x8', steps: 20, calls: 8, runs: 5 },
  { ...plain, name: 'loop-20x1-20tools', steps: 20, tools: 20 },
  { ...plain, name: 'loop-20x1-stream', steps: 20, stream: true, fragments: 12, deltas: 12 },
  { ...plain, name: 'text-2000', stream: true, deltas: 2000, runs: 20 },
  { ...plain, name: 'text-5000', stream: true, deltas: 5000, runs: 8 },
  { ...plain, name: 'text-20000', stream: true, deltas: 20_000, runs: 2 },
  { ...plain, name: 'text-5000-each', stream: true, deltas: 5000, each: true, runs: 4 },
  { ...plain, name: 'args-2000', steps: 1, stream: true, fragments: 2000, runs: 16 },
  { ...plain, name: 'args-8000', steps: 1, stream: true, fragments: 8000, runs: 4 },
  { ...plain, name: 'args-20000', steps: 1, stream: true, fragments: 20_000, runs: 2 },
  { ...plain, name: 'concurrent-1000x3', steps: 3, waitMs: 20, runs: 1000, atOnce: 1000, share: 1 / 3 },
  { ...plain, name: 'long-400', steps: 400, runs: 1, share: 1 / 2 },
  { ...plain, name: 'cold', tools: 10, runs: 1 },
]

export function scenarioOf(name: string): Scenario {
  const found = scenarios.find((one) => one.name === name)
  if (!found)
    throw new Error(`Unknown scenario "${name}". Known: ${scenarios.map((one) => one.name).join(', ')}.`)
  return found
}

/** Arguments of one call: six fields, unique to that call. */
export interface Arguments {
  readonly city: string
  readonly date: string
  readonly guests: number
  readonly budget: number
  readonly breakfast: boolean
  readonly note: string
}

interface Call {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

const cities = ['Oslo', 'Lima', 'Cairo', 'Kyoto', 'Quito', 'Tunis', 'Turin', 'Perth']

/** Returns the calls of one step. The first step is 0. */
export function callsOf(run: string, step: number, scenario: Scenario): readonly Call[] {
  return Array.from({ length: scenario.calls }, (_, index) => ({
    id: `call_${run}_${step}_${index}`,
    name: toolName((step + index) % scenario.tools),
    arguments: JSON.stringify(argumentsOf(run, step, { index, scenario })),
  }))
}

function argumentsOf(
  run: string,
  step: number,
  { index, scenario }: { readonly index: number; readonly scenario: Scenario },
): Arguments {
  return {
    city: cities[(step + index) % cities.length] ?? 'Oslo',
    date: `2027-03-${String((step % 28) + 1).padStart(2, '0')}`,
    guests: (step % 6) + 1,
    budget: 120.5 + index,
    breakfast: index % 2 === 0,
    note: `run ${run}, step ${step}, call ${index}${' and so on'.repeat(Math.floor(scenario.fragments / 3))}`,
  }
}

/** The tool's result. It depends on the arguments, which proves that the tool ran on them. */
export function resultOf({ city, guests, budget, breakfast, note }: Arguments): object {
  return {
    hotel: `The ${city}`,
    rooms: Math.ceil(guests / 2),
    total: budget * guests,
    breakfast,
    note: note.slice(0, 60),
  }
}

/** The text of the last reply, as deltas. */
export function textOf(run: string, scenario: Scenario): readonly string[] {
  return Array.from({ length: scenario.deltas }, (_, index) => (index === 0 ? `Run ${run}` : ` word${index}`))
}

export function promptOf(run: string): string {
  return `Book hotels for run ${run}.`
}

/** Returns the run id in a prompt. */
export function runOf(prompt: string): string | undefined {
  return /run (\S+)\.$/.exec(prompt)?.[1]
}

const instructions = 'You book hotels. Call the tools, then say what you booked.'

/** The tools of a scenario. They call `ran` once per call. */
function toolsOf({ tools, waitMs }: Scenario, ran: () => void): BenchTool[] {
  return Array.from({ length: tools }, (_, index) => ({
    name: toolName(index),
    description: `Books a hotel of group ${index}. Use it once for each stay.`,
    parameters: z.object({
      city: z.string().min(1).describe('Name of the city'),
      date: z.string().describe('First night, as YYYY-MM-DD'),
      guests: z.number().int().min(1).max(12),
      budget: z.number().positive().describe('Most to pay, in euros'),
      breakfast: z.boolean(),
      note: z.string().optional(),
    }),
    async execute(args) {
      ran()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      return resultOf(args as unknown as Arguments)
    },
  }))
}

function toolName(index: number): string {
  return `book_hotel_${index}`
}

interface Task {
  readonly scenario: Scenario
  /** Address of the server. */
  readonly origin: string
  /** Called for each tool call that runs. */
  ran(): void
}

/** Loads a peer and sets it up for a scenario. */
export async function prepare(name: string, { scenario, origin, ran }: Task): Promise<RunOnce> {
  const { peer } = (await import(`./peers/${name}.js`)) as { peer: Peer }
  return peer.prepare({
    baseURL: `${origin}/${scenario.name}/v1`,
    model: 'bench',
    instructions,
    tools: toolsOf(scenario, ran),
    stream: scenario.stream,
    maxSteps: scenario.steps + 2,
  })
}
