import { expectTypeOf, test } from 'vitest'
import { Agent, type ChatModel, guard, modelPerStep, type RunView, verdict } from '../../index.js'

const model: ChatModel = {
  name: 'm',
  complete: () => Promise.reject(new Error('The model may not be asked.')),
}

test('a guard that reads the context makes runs require it', () => {
  const mine = guard({
    input: (text, run: RunView<{ user: string }>) =>
      text === run.context.user ? verdict.allow : verdict.deny('not yours'),
    reply: async (text, run) => {
      expectTypeOf(run.context).toEqualTypeOf<{ user: string }>()
      return verdict.replace(text)
    },
    result(text, _run, call) {
      expectTypeOf(call.name).toEqualTypeOf<string>()
      return text === '' ? undefined : verdict.allow
    },
  })
  const agent = new Agent({ model, middleware: [mine] })
  expectTypeOf(agent.run).parameter(1).toExtend<{ context: { user: string } } | undefined>()
  // @ts-expect-error The context is missing.
  void (() => agent.run('Hi.'))
  void (() => agent.run('Hi.', { context: { user: 'Ada' } }))
})

test('a guard without a context requires none', () => {
  const agent = new Agent({ model, middleware: [guard({ input: () => {} })] })
  void (() => agent.run('Hi.'))
})

test('verdicts are checked', () => {
  // @ts-expect-error A guard cannot ask anyone.
  guard({ input: () => ({ type: 'ask' }) })
  // @ts-expect-error A replacement needs a text.
  guard({ reply: () => ({ type: 'replace' }) })
})

test('a choice of models that reads the context makes runs require it', () => {
  const chosen = modelPerStep((call, run: RunView<{ strong: ChatModel }>) => {
    expectTypeOf(call.isFinal).toEqualTypeOf<boolean>()
    return run.step > 0 ? run.context.strong : undefined
  })
  const agent = new Agent({ model, middleware: [chosen] })
  // @ts-expect-error The context is missing.
  void (() => agent.run('Hi.'))
  void (() => agent.run('Hi.', { context: { strong: model } }))
})
