import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { Agent, type AnyAgent, agentTool, handoff, type ToolContext, tool } from '../../src/index.js'

const lookUp = tool({
  name: 'look_up',
  description: 'Looks up',
  parameters: z.object({ id: z.string() }),
  execute: ({ id }, { context }: ToolContext<{ db: { find(id: string): string } }>) => context.db.find(id),
})
const mail = tool({
  name: 'send_mail',
  description: 'Sends',
  parameters: z.object({}),
  execute: (_, { context }: ToolContext<{ user: string }>) => context.user,
})
const archivist = new Agent({ name: 'archivist', model: 'm', tools: [lookUp] })
const db = { find: () => '' }

test('a run needs the context of the tools of its agent tools', () => {
  const lead = new Agent({ model: 'm', tools: [agentTool(archivist, { name: 'ask_archivist' }), mail] })
  type Asked = NonNullable<Parameters<typeof lead.run>[1]>['context']
  expectTypeOf<Asked>().toEqualTypeOf<{ db: { find(id: string): string } } & { user: string }>()
  const never = () => {
    // @ts-expect-error the archivist looks things up
    lead.run('Go.', { context: { user: 'Ada' } })
    return lead.run('Go.', { context: { db, user: 'Ada' } })
  }
  expectTypeOf(never).toBeFunction()
})

test('also two levels down, and in a direct call', () => {
  const middle = new Agent({ name: 'middle', model: 'm', tools: [agentTool(archivist)] })
  const top = new Agent({ model: 'm', tools: [agentTool(middle)] })
  const never = () => {
    // @ts-expect-error the archivist looks things up
    top.run('Go.')
    // @ts-expect-error the archivist looks things up
    agentTool(middle).call({ input: 'Go.' })
    return agentTool(middle).call({ input: 'Go.' }, { context: { db } })
  }
  expectTypeOf(never).returns.resolves.toEqualTypeOf<string>()
})

test('an agent whose tools need no context needs none as a tool', () => {
  const plain = new Agent({ name: 'plain', model: 'm' })
  const lead = new Agent({ model: 'm', tools: [agentTool(plain), handoff('plain')] })
  expectTypeOf(lead.run).toBeCallableWith('Go.')
})

test('a call of an agent has the name of its tool as its type', () => {
  const lead = new Agent({ model: 'm', tools: [agentTool(archivist, { name: 'ask_archivist' })] })
  const never = async () => {
    const { toolCalls } = await lead.run('Go.', { context: { db } })
    for (const call of toolCalls) {
      if (call.dynamic || call.status !== 'ok') continue
      expectTypeOf(call.name).toEqualTypeOf<'ask_archivist'>()
      expectTypeOf(call.arguments).toEqualTypeOf<{ input: string }>()
      expectTypeOf(call.result).toEqualTypeOf<string>()
    }
  }
  expectTypeOf(never).toBeFunction()
})

test('a run needs the context of its handoff agents', () => {
  const desk = new Agent({ name: 'desk', model: 'm', tools: [handoff(archivist)] })
  const never = (any: AnyAgent) => {
    // @ts-expect-error the archivist looks things up
    desk.run('Go.')
    // Of an agent whose tools are not known, nothing is known.
    new Agent({ model: 'm', tools: [handoff(any)] }).run('Go.')
    return desk.run('Go.', { context: { db } })
  }
  expectTypeOf(never).toBeFunction()
})

test('invalid settings of an agent tool are type errors', () => {
  const never = () => {
    // @ts-expect-error agents run side by side, whatever they write
    agentTool(archivist, { effects: () => 'key' })
    // @ts-expect-error arguments are an object
    agentTool(archivist, { parameters: 'input' })
  }
  expectTypeOf(never).toBeFunction()
})
