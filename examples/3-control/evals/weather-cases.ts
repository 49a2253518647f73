// Questions to the weather painter, with the right calls and text. The scripts are replies that score in full.
import { reply, type ScriptStep } from '@capstan/testing'
import type { EvalCase } from './agent-harness.js'

export interface WeatherCase extends EvalCase {
  /** In this order; empty when the case needs no tool. */
  readonly calls: readonly WantedCall[]
  /** Patterns that the final text contains; absent when the text is not judged. */
  readonly says: readonly RegExp[]
  readonly script: readonly ScriptStep[]
}

/** A wanted call. Its arguments may contain more fields. */
export interface WantedCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, RegExp | string | number | boolean>>
}

const look = reply.call('get_weather', { city: 'Oslo' })
const wantedLook = { name: 'get_weather', arguments: { city: 'Oslo' } }

// #region cases
export const cases: readonly WeatherCase[] = [
  {
    ask: 'What is the weather in Oslo?',
    calls: [wantedLook],
    says: [/Oslo/, /clear/],
    script: [look, reply.text('The sky over Oslo is clear.')],
  },
  {
    ask: 'Draw a red balloon.',
    calls: [{ name: 'draw', arguments: { prompt: /red balloon/i } }],
    says: [],
    script: [reply.call('draw', { prompt: 'A red balloon' }), reply.text('Here it is.')],
  },
  {
    ask: 'Draw the weather in Oslo.',
    calls: [wantedLook, { name: 'draw', arguments: { prompt: /clear/i } }],
    says: [],
    script: [look, reply.call('draw', { prompt: 'A clear sky' }), reply.text('Here it is.')],
  },
  { ask: 'Thank you, that is all.', calls: [], says: [], script: [reply.text('You are welcome.')] },
  {
    ask: 'Draw an umbrella, but only if it rains in Oslo.',
    calls: [wantedLook],
    says: [],
    script: [look, reply.text('The sky is clear, so nothing is drawn.')],
  },
]
// #endregion
