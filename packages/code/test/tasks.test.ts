import { Agent, type AnyTool, jsonSchema, tool } from '@capstan/core'
import { reply, type ScriptCall, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { codeMode } from '../src/index.js'

/** What the tools of a task have changed, in order. */
let effects: string[] = []

const object = (properties: Record<string, unknown>, required = Object.keys(properties)) =>
  jsonSchema<Record<string, never>>({ type: 'object', properties, required, additionalProperties: false })
const text = { type: 'string' }
const whole = { type: 'integer' }

const people = Array.from({ length: 12 }, (_, at) => ({
  id: at,
  name: `Person ${at}`,
  email: `person${at}@example.com`,
  team: at % 3 === 0 ? 'sales' : 'build',
}))
const orders = Array.from({ length: 40 }, (_, at) => ({
  id: 1000 + at,
  person: at % 12,
  total: (at * 37) % 400,
  items: [`item ${at}`, `item ${at + 1}`],
}))

const reads = (name: string, properties: object, execute: (args: never) => unknown): AnyTool =>
  tool({
    name,
    description: `Returns ${name}.`,
    parameters: object({ ...properties }),
    effects: 'read',
    execute,
  })
const writes = (name: string, properties: object, execute: (args: never) => unknown): AnyTool =>
  tool({
    name,
    description: `Does ${name}.`,
    parameters: object({ ...properties }),
    execute(args) {
      effects.push(`${name} ${JSON.stringify(args)}`)
      return execute(args as never)
    },
  })

const tools = {
  people: reads('people', {}, () => people),
  orders: reads('orders', { page: whole }, ({ page }: { page: number }) =>
    orders.slice(page * 10, page * 10 + 10),
  ),
  order: reads('order', { id: whole }, ({ id }: { id: number }) => orders.find((one) => one.id === id)),
  translate: reads(
    'translate',
    { text, to: text },
    ({ text: given, to }: { text: string; to: string }) => `${to}: ${given}`,
  ),
  weather: reads('weather', { city: text }, ({ city }: { city: string }) => ({
    city,
    degrees: city.length,
    wind: 'west',
    humidity: 71,
  })),
  send: writes('send', { to: text, text }, () => ({ ok: true })),
  tag: writes('tag', { id: whole, tag: text }, () => ({ ok: true })),
  draw: writes('draw', { of: text }, ({ of }: { of: string }) => ({
    id: `img_${of.replaceAll(' ', '_')}`,
    kind: 'image',
    width: 64,
    height: 64,
  })),
  edit: writes('edit', { image: text, change: text }, ({ image }: { image: string }) => ({
    id: `${image}_2`,
    kind: 'image',
  })),
  store: writes('store', { key: text, value: whole }, () => ({ ok: true })),
} as const

type Call = readonly [name: keyof typeof tools, args: Record<string, unknown>]

interface Task {
  readonly name: string
  /** The steps of a model that calls directly. */
  readonly steps: readonly (readonly Call[])[]
  readonly code: string
  readonly answer: string
}

const strings = Array.from({ length: 20 }, (_, at) => `Sentence number ${at} of the page.`)
const pages = [0, 1, 2, 3].map((page): readonly Call[] => [['orders', { page }]])
const large = orders.filter(({ total }) => total > 300)
const sales = people.filter(({ team }) => team === 'sales')
const scenes = ['a cat', 'a dog', 'a bird', 'a fish', 'a horse', 'a cow', 'a sheep', 'a goat', 'a hen']
const cities = ['Oslo', 'Rome', 'Lima', 'Cairo', 'Paris', 'Quito', 'Seoul', 'Delhi', 'Tunis', 'Accra']

const tasks: readonly Task[] = [
  {
    name: 'join two lists',
    steps: [[['people', {}]], ...pages],
    code: `const people = await tools.people()
const pages = await Promise.all([0, 1, 2, 3].map((page) => tools.orders({ page })))
const orders = pages.flat()
return people.map(({ id, name }) => [name, orders.filter((o) => o.person === id).reduce((sum, o) => sum + o.total, 0)])`,
    answer: 'Here are the totals.',
  },
  {
    name: 'page through results and act on some',
    steps: [...pages, ...large.map(({ id }): readonly Call[] => [['tag', { id, tag: 'large' }]])],
    code: `for (let page = 0; page < 4; page++)
  for (const { id, total } of await tools.orders({ page })) if (total > 300) await tools.tag({ id, tag: 'large' })`,
    answer: 'Tagged.',
  },
  {
    name: 'filter and write to each',
    steps: [[['people', {}]], sales.map(({ email }): Call => ['send', { to: email, text: 'Meeting at 10' }])],
    code: `const people = await tools.people()
for (const { email } of people.filter((p) => p.team === 'sales')) await tools.send({ to: email, text: 'Meeting at 10' })`,
    answer: 'Sent to four people.',
  },
  {
    name: 'draw a series and edit each',
    steps: scenes.flatMap((of): readonly (readonly Call[])[] => [
      [['draw', { of }]],
      [['edit', { image: `img_${of.replaceAll(' ', '_')}`, change: 'at night' }]],
    ]),
    code: `const made = []
for (const of of ${JSON.stringify(scenes)}) {
  const { id } = await tools.draw({ of })
  made.push((await tools.edit({ image: id, change: 'at night' })).id)
}
return made`,
    answer: 'Nine pictures.',
  },
  {
    name: 'translate twenty texts',
    steps: strings.map((one): readonly Call[] => [['translate', { text: one, to: 'nb' }]]),
    code: `const texts = Array.from({ length: 20 }, (_, at) => \`Sentence number \${at} of the page.\`)
return (await Promise.all(texts.map((text) => tools.translate({ text, to: 'nb' })))).length`,
    answer: 'All twenty.',
  },
  {
    name: 'the warmest of ten cities',
    steps: cities.map((city): readonly Call[] => [['weather', { city }]]),
    code: `const all = await Promise.all(${JSON.stringify(cities)}.map((city) => tools.weather({ city })))
return all.sort((a, b) => b.degrees - a.degrees)[0].city`,
    answer: 'Cairo.',
  },
  {
    name: 'look until it is found',
    steps: [0, 1, 2].map((page): readonly Call[] => [['orders', { page }]]),
    code: `for (let page = 0; ; page++) {
  const found = (await tools.orders({ page })).find(({ id }) => id === 1025)
  if (found) return found
}`,
    answer: 'Order 1025.',
  },
  {
    name: 'a sum that is stored',
    steps: [
      ...pages,
      [['store', { key: 'total', value: orders.reduce((sum, { total }) => sum + total, 0) }]],
    ],
    code: `let value = 0
for (let page = 0; page < 4; page++) for (const { total } of await tools.orders({ page })) value += total
await tools.store({ key: 'total', value })
return value`,
    answer: 'Stored.',
  },
  {
    name: 'details of a dozen orders',
    steps: orders.slice(0, 12).map(({ id }): readonly Call[] => [['order', { id }]]),
    code: `const items = new Set()
for (let id = 1000; id < 1012; id++) for (const item of (await tools.order({ id })).items) items.add(item)
return items.size`,
    answer: 'Thirteen items.',
  },
  {
    name: 'one call',
    steps: [[['weather', { city: 'Oslo' }]]],
    code: `return (await tools.weather({ city: 'Oslo' })).degrees`,
    answer: 'Four degrees.',
  },
]

/** Returns the effects, the calls, and the tokens of all requests and replies, by their length. */
async function tokensOf(steps: readonly (readonly ScriptCall[])[], answer: string, isProgram: boolean) {
  effects = []
  const model = scriptedModel([...steps.map((calls) => reply.calls(...calls)), reply.text(answer)])
  const middleware = isProgram ? [codeMode()] : []
  const agent = new Agent({ model, tools: Object.values(tools), middleware, limits: { steps: 50 } })
  const { usage } = await agent.run('Do it.')
  const sent = model.requests.map(
    ({ messages, tools: offered }) => JSON.stringify([messages, offered]).length,
  )
  const written = JSON.stringify(steps).length + answer.length
  return { effects, calls: usage.toolCalls, tokens: Math.round((sent.reduce((a, b) => a + b) + written) / 4) }
}

test.each(tasks)('$name: the same effects, and fewer tokens', async ({ name, steps, code, answer }) => {
  const separate = await tokensOf(
    steps.map((calls) => calls.map(([tool, args]) => reply.call(tool, args))),
    answer,
    false,
  )
  const program = await tokensOf([[reply.call('run_program', { code })]], answer, true)
  expect(program.effects).toEqual(separate.effects)
  const saved = 1 - program.tokens / separate.tokens
  if (process.env.CAPSTAN_TASKS)
    console.log(
      `| ${name} | ${separate.calls} | ${separate.tokens} | ${program.tokens} | ${Math.round(saved * 100)} % |`,
    )
  if (separate.calls > 8) expect(saved).toBeGreaterThanOrEqual(0.6)
})
