import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import {
  Agent,
  type AnyAgent,
  type AnyStep,
  type Json,
  type Middleware,
  type ModelSettings,
  type RunEvent,
  type RunResult,
  type StepResult,
  tool,
  type Usage,
} from '../index.js'

const weather = tool({
  name: 'get_weather',
  description: 'Weather',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, when: new Date() }),
})
const note = tool({ name: 'note', description: 'Notes', parameters: z.object({}), execute: () => 1 })
const notes = { name: 'notes', tools: [note] } as const satisfies Middleware
type Weather = { city: string; when: string }

test('the steps of a result know the tools of their agent', () => {
  const never = async () => {
    const { steps, stepCount, reasoning } = await new Agent({ model: 'm', tools: [weather] }).run('Go.')
    expectTypeOf(stepCount).toEqualTypeOf<number>()
    expectTypeOf(reasoning).toEqualTypeOf<string | undefined>()
    for (const { text, toolCalls, finishReason, usage, model, ms, response } of steps) {
      expectTypeOf(text).toEqualTypeOf<string>()
      expectTypeOf(finishReason).toEqualTypeOf<string | undefined>()
      expectTypeOf(usage).toEqualTypeOf<Usage>()
      expectTypeOf({ model, ms }).toEqualTypeOf<{ model: string; ms: number }>()
      expectTypeOf(response.id).toEqualTypeOf<string | undefined>()
      expectTypeOf(response.headers?.['x-request-id']).toEqualTypeOf<string | undefined>()
      expectTypeOf(response.service_tier).toEqualTypeOf<Json | undefined>()
      for (const call of toolCalls)
        if (!call.dynamic && call.status === 'ok') {
          expectTypeOf(call.name).toEqualTypeOf<'get_weather'>()
          expectTypeOf(call.result).toEqualTypeOf<Weather>()
        }
    }
  }
  expectTypeOf(never).toBeFunction()
})

test('onStep of an agent and of a run know its tools, and those of its middlewares', () => {
  const agent = new Agent({
    model: 'm',
    tools: [weather],
    middleware: [notes],
    onStep({ toolCalls: [call] }) {
      if (call && !call.dynamic) expectTypeOf(call.name).toEqualTypeOf<'get_weather' | 'note'>()
    },
  })
  const never = () => {
    agent.stream('Go.', {
      onStep({ toolCalls: [call] }) {
        if (call?.name === 'note' && !call.dynamic && call.status === 'ok')
          expectTypeOf(call.result).toEqualTypeOf<number>()
      },
    })
    return agent.run('Go.', { onStep: async (step) => expectTypeOf(step.step).toEqualTypeOf<number>() })
  }
  expectTypeOf(never).toBeFunction()
  expectTypeOf(agent).toExtend<AnyAgent>()
})

test('the event of the end of a step knows the tools, unless it is of a child run', () => {
  const never = async () => {
    const run = new Agent({ model: 'm', tools: [weather] }).stream('Go.')
    run.on('step-end', (event) => {
      const [call] = event.result.toolCalls
      if (event.parentCallId !== undefined) expectTypeOf(event.result).toEqualTypeOf<AnyStep>()
      else expectTypeOf(event.result).toEqualTypeOf<StepResult<readonly [typeof weather]>>()
      expectTypeOf(call?.name).toEqualTypeOf<string | undefined>()
    })
    for await (const event of run)
      if (event.type === 'step-end' && event.parentCallId === undefined) {
        const [call] = event.result.toolCalls
        if (call && !call.dynamic) expectTypeOf(call.name).toEqualTypeOf<'get_weather'>()
      }
  }
  expectTypeOf(never).toBeFunction()
})

test('steps of known tools are steps of any tools', () => {
  expectTypeOf<StepResult<readonly [typeof weather]>>().toExtend<StepResult>()
  expectTypeOf<StepResult>().toExtend<AnyStep>()
  expectTypeOf<RunResult<readonly [typeof weather]>['steps']>().toExtend<readonly AnyStep[]>()
  expectTypeOf<Extract<RunEvent, { type: 'step-end' }>['result']>().toEqualTypeOf<AnyStep>()
})

test('common settings have types, and others are open', () => {
  const never = () => {
    const settings: ModelSettings = {
      temperature: 0,
      maxTokens: 100,
      topP: 0.5,
      seed: 1,
      stop: ['END'],
      reasoningEffort: 'low',
      presence_penalty: 1,
      max_tokens: 5,
    }
    new Agent({ model: 'm', settings, prepareStep: () => ({ settings: { stop: 'END' } }) })
    // @ts-expect-error a text is no number of tokens
    new Agent({ model: 'm', settings: { maxTokens: '100' } })
    // @ts-expect-error neither in a run
    return new Agent({ model: 'm' }).run('Go.', { settings: { temperature: 'hot' } })
  }
  expectTypeOf(never).toBeFunction()
})
