import * as z from 'zod'
import type { BenchTool } from './peer.js'
import type { Scenario } from './scenarios.js'

/** What one call says: six fields, none like those of another call. */
export interface Arguments {
  readonly city: string
  readonly date: string
  readonly guests: number
  readonly budget: number
  readonly breakfast: boolean
  readonly note: string
}

export interface Call {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

const cities = ['Oslo', 'Lima', 'Cairo', 'Kyoto', 'Quito', 'Tunis', 'Turin', 'Perth']

/** The calls of one step of a conversation, the first step being 0. */
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

/** What the tool makes of a call: nobody can give it who did not run the tool on these arguments. */
export function resultOf({ city, guests, budget, breakfast, note }: Arguments): object {
  return {
    hotel: `The ${city}`,
    rooms: Math.ceil(guests / 2),
    total: budget * guests,
    breakfast,
    note: note.slice(0, 60),
  }
}

/** The words of the last answer, piece by piece. */
export function wordsOf(run: string, scenario: Scenario): readonly string[] {
  return Array.from({ length: scenario.deltas }, (_, index) => (index === 0 ? `Run ${run}` : ` word${index}`))
}

export function promptOf(run: string): string {
  return `Book hotels for run ${run}.`
}

/** The run a prompt is of. */
export function runOf(prompt: string): string | undefined {
  return /run (\S+)\.$/.exec(prompt)?.[1]
}

export const instructions = 'You book hotels. Call the tools, then say what you booked.'

/** The tools of a scenario; `ran` hears of each call that runs. */
export function toolsOf({ tools, waitMs }: Scenario, ran: () => void): BenchTool[] {
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
