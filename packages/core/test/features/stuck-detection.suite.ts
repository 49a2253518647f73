import { expect, test } from 'vitest'
import type { CallRecord, Json, Middleware, RunView, StuckOptions } from '../../src/index.js'

interface Report {
  readonly state: { readonly repeats?: number; readonly recent?: readonly (readonly string[])[] }
  readonly stage?: string
  readonly note?: string
}

/** What stuck detection does, of this package or written outside of it. */
export function testStuckDetection(stuckDetection: (options?: StuckOptions) => Middleware): void {
  /** A call, its result `result(args)`: `f`, `f x`, `f x!error`. */
  function call(text: string): CallRecord {
    const [said = '', error] = text.split('!')
    const [name = '', args = ''] = said.split(' ')
    const told =
      error === undefined
        ? ({ status: 'ok', content: `result of ${args}` } as const)
        : ({ status: 'error', content: `Error: ${error}` } as const)
    return { ...told, callId: 'c', name, step: 0, arguments: { args }, ms: 0 }
  }

  /** What it says of a step, after what it has kept. */
  function report(kept: Json, results: readonly CallRecord[], options?: StuckOptions): Report {
    const run = { kept: { 'stuck-detection': kept }, agent: '' } as unknown as RunView
    const { state = {}, note, events = [] } = stuckDetection(options).afterStep?.(results, run) ?? {}
    const [stage] = events.flatMap((event) => (event.type === 'stuck-detected' ? event.stage : []))
    return { state: JSON.parse(JSON.stringify(state)), ...(note && { note }), ...(stage && { stage }) }
  }

  /** What is said of each turn, its calls written with commas. */
  function reports(turns: readonly string[], options: StuckOptions = {}): Report[] {
    let kept: Json = {}
    return turns.map((turn) => {
      const one = report(kept, turn.split(', ').map(call), options)
      kept = one.state as Json
      return one
    })
  }

  const stages = (turns: readonly string[], options?: StuckOptions) =>
    reports(turns, options).map(({ stage }) => stage ?? '-')

  test('a turn that repeats the one before is told so, then loses the tool, then ends the run', () => {
    expect(stages(['f 1', 'f 1', 'f 1', 'f 1'])).toEqual(['-', 'warn', 'disable', 'stop'])
  })

  test('the model is told what it repeats, and the tools of the step are disabled for one step', () => {
    const [first, told, disabled, stopped] = reports(['f 1, g 1', 'f 1, g 1', 'f 1, g 1, f 1', 'f 1, g 1'])
    expect(first).not.toHaveProperty('note')
    expect(told?.note).toBe(
      'Note: same result as before. Do not repeat this call. Try something else, or answer with what you have.',
    )
    expect(told?.state).toMatchObject({ repeats: 1 })
    expect(told?.state).not.toHaveProperty('disabled')
    expect(disabled?.note).toContain('this tool is disabled for the next step')
    expect(disabled?.state).toMatchObject({ repeats: 2, disabled: ['f', 'g'] })
    expect(stopped?.state).toMatchObject({ repeats: 3 })
    expect(stopped).not.toHaveProperty('note')
  })

  test.each([
    ['other arguments', ['f 1', 'f 2', 'f 3']],
    ['another tool', ['f 1', 'g 1', 'h 1']],
    ['one more call that is new', ['f 1', 'f 1, f 2', 'f 1, f 3']],
  ])('%s are progress', (_what, turns) => {
    expect(stages(turns)).toEqual(['-', '-', '-'])
  })

  test('the same call with another result is progress', () => {
    const poll = (content: string) => ({ ...call('poll'), content })
    const before = report({}, [poll('queued')]).state
    expect(report(before, [poll('running')])).not.toHaveProperty('stage')
    expect(report(before, [poll('queued')])).toMatchObject({ stage: 'warn' })
  })

  test('calls that go on side by side repeat in whatever order they stand, and when some are left out', () => {
    expect(stages(['f 1, g 1', 'g 1, f 1', 'g 1'])).toEqual(['-', 'warn', 'disable'])
  })

  test('the same error is a repetition whatever the arguments were, another error is none', () => {
    expect(stages(['f 1!down', 'f 2!down', 'f 3!down'])).toEqual(['-', 'warn', 'disable'])
    expect(stages(['f 1!down', 'f 1!up', 'f 1'])).toEqual(['-', '-', '-'])
    expect(stages(['f 1!down', 'g 1!down'])).toEqual(['-', '-'])
  })

  test('an error is not the result of the same words', () => {
    const words = { ...call('f'), content: 'same' }
    const before = report({}, [words]).state
    expect(report(before, [{ ...words, status: 'error' }])).not.toHaveProperty('stage')
  })

  test('an error is not a refusal of the same words', () => {
    const failed = { ...call('f'), status: 'error' as const, content: 'Error: no' }
    const before = report({}, [failed]).state
    expect(report(before, [{ ...failed, status: 'denied' }])).not.toHaveProperty('stage')
    expect(report(before, [failed])).toMatchObject({ stage: 'warn' })
  })

  test('circles of two and of three are found when they close, and go on being found', () => {
    expect(stages(['f 1', 'g 1', 'f 1', 'g 1', 'f 1', 'g 1'])).toEqual([
      '-',
      '-',
      '-',
      'warn',
      'disable',
      'stop',
    ])
    expect(stages(['f 1', 'g 1', 'h 1', 'f 1', 'g 1', 'h 1', 'f 1'])).toEqual([
      ...['-', '-', '-', '-', '-'],
      'warn',
      'disable',
    ])
  })

  test('what only comes back now and then is no circle, nor is one of four', () => {
    expect(stages(['f 1', 'g 1', 'f 1', 'h 1', 'f 1', 'i 1'])).toEqual(['-', '-', '-', '-', '-', '-'])
    const four = ['f 1', 'g 1', 'h 1', 'i 1']
    expect(new Set(stages([...four, ...four]))).toEqual(new Set(['-']))
  })

  test('progress begins the count anew', () => {
    expect(stages(['f 1', 'f 1', 'f 1', 'g 1', 'g 1', 'g 2'])).toEqual([
      '-',
      'warn',
      'disable',
      '-',
      'warn',
      '-',
    ])
  })

  test('a tool that is disabled and called all the same repeats, with whatever arguments', () => {
    const kept = { disabled: ['f'], repeats: 2, recent: [] }
    const of = (turn: string) => report(kept, turn.split(', ').map(call)).stage
    expect(of('f 7!not offered')).toBe('stop')
    expect(of('f 7, f 8')).toBe('stop')
    expect(of('f 7, g 1')).toBeUndefined()
    expect(of('g 1')).toBeUndefined()
  })

  test('the first repetition is the first, whatever else is remembered', () => {
    expect(report({ disabled: ['f'] }, [call('f')])).toMatchObject({
      stage: 'warn',
      state: { repeats: 1 },
    })
  })

  test.each([
    [{ warn: 2, disable: 3, stop: 4 }, ['-', '-', 'warn', 'disable', 'stop']],
    [{ warn: 3, disable: 2, stop: 1 }, ['-', 'stop', 'stop', 'stop', 'stop']],
    [{ disable: 1 }, ['-', 'disable', 'disable', 'stop', 'stop']],
    [{ warn: Number.POSITIVE_INFINITY }, ['-', '-', 'disable', 'stop', 'stop']],
    [{ disable: Number.POSITIVE_INFINITY }, ['-', 'warn', 'warn', 'stop', 'stop']],
    [{ stop: Number.POSITIVE_INFINITY }, ['-', 'warn', 'disable', 'disable', 'disable']],
  ])('stages come after as many turns as the options say: %j', (options, expected) => {
    expect(stages(['f 1', 'f 1', 'f 1', 'f 1', 'f 1'], options)).toEqual(expected)
  })

  test('no more is remembered than the longest circle needs', () => {
    const turns = Array.from({ length: 20 }, (_, i) => `f ${i}`)
    const last = reports(turns).at(-1)
    expect(last?.state.recent).toHaveLength(6)
    expect(last?.state.recent?.flat().join('')).toMatch(/^[0-9a-f]+$/)
  })
}
