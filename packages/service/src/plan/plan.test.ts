import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases, isLong } from '../../../../scripts/cases.mjs'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { expectLinear } from '../../../core/test/expect-linear.js'
import { blindCorpus, blindTools } from '../../test/blind-corpus.js'
import { devCorpus } from '../../test/dev-corpus.js'
import { devTools } from '../../test/dev-tools.js'
import { everyPart, functionQuestions, lastParts, laterParts } from '../../test/every-part-corpus.js'
import { everydayCorpus } from '../../test/everyday-corpus.js'
import { everydayTools } from '../../test/everyday-tools.js'
import { fields } from '../../test/fields-corpus.js'
import { moreFields } from '../../test/fields-second-corpus.js'
import { fifthRequests } from '../../test/fifth-unseen-corpus.js'
import { fourthQuestions } from '../../test/fourth-questions-corpus.js'
import { fourthRequests } from '../../test/fourth-unseen-corpus.js'
import { freshCorpus, freshTools } from '../../test/fresh-corpus.js'
import { heldoutCorpus } from '../../test/heldout-corpus.js'
import { heldoutTools } from '../../test/heldout-tools.js'
import { lastCorpus } from '../../test/last-corpus.js'
import { lastTools } from '../../test/last-tools.js'
import { countVerdicts, measureCorpus } from '../../test/measure-corpus.js'
import type { PlannerCase } from '../../test/planner-case.js'
import { definitionsOf, flag, integer, number, oneOf, text, wireTool } from '../../test/planner-case.js'
import { questions } from '../../test/question-corpus.js'
import { secondCorpus } from '../../test/second-corpus.js'
import { secondTools } from '../../test/second-tools.js'
import { assistantRequests, leaderboardQuestions, seventhRequests } from '../../test/seventh-unseen-corpus.js'
import { sixthRequests } from '../../test/sixth-unseen-corpus.js'
import { thirdQuestions } from '../../test/third-questions-corpus.js'
import { thirdRequests } from '../../test/third-unseen-corpus.js'
import { tradesCorpus } from '../../test/trades-corpus.js'
import { tradesTools } from '../../test/trades-tools.js'
import { corpusNow, tunedCorpus, tunedTools } from '../../test/tuned-corpus.js'
import { unseenQuestions, unseenRequests } from '../../test/unseen-corpus.js'
import { moreUnseenQuestions, moreUnseenRequests } from '../../test/unseen-second-corpus.js'
import { wideCorpus } from '../../test/wide-corpus.js'
import { wideTools } from '../../test/wide-tools.js'
import type { ChatMessage } from './conversation.js'
import { type PlanRequest, plan } from './plan.js'

function ask(request: string, options: Partial<PlanRequest> = {}) {
  const messages: ChatMessage[] = [{ role: 'user', text: request }]
  return plan({ messages, tools: definitionsOf(tunedTools), now: corpusNow, ...options })
}

function callsFor(request: string, options: Partial<PlanRequest> = {}) {
  const answer = ask(request, options)
  return 'calls' in answer ? answer.calls.map((call) => [call.name, call.arguments]) : []
}

test.each(tunedCorpus)('"$ask" makes the right calls', (one) => {
  expect(callsFor(one.ask)).toEqual(one.calls)
})

/** All 91 cases in `.ci/long`, else every sixth. */
const partOfWide = wideCorpus.filter((_, at) => isLong || at % 6 === 0)

const measuredTitle = 'the %s corpus: right at least, and wrong at most, as measured'

// A planner that asks costs an answer, one that calls wrongly costs trust.
test.each([
  ['fresh', freshCorpus, freshTools, 20, 0],
  ['blind', blindCorpus, blindTools, 25, 0],
  ['wide', partOfWide, wideTools, partOfWide.length - 2, 1],
  ['last', lastCorpus, lastTools, 27, 0],
] as const)(measuredTitle, checkScore)

// Each request of these chooses among sixty tools.
slowTest.each([
  ['trades', tradesCorpus, tradesTools, 59, 0],
  ['everyday', everydayCorpus, everydayTools, 56, 1],
  ['dev', devCorpus, devTools, 131, 1],
  ['heldout', heldoutCorpus, heldoutTools, 128, 1],
  ['second', secondCorpus, secondTools, 73, 2],
] as const)(measuredTitle, checkScore)

// Each request of these chooses among the tools of its field.
slowTest.each([
  ['fields', Object.values(fields), 170, 1],
  ['questions', questions, 43, 0],
  ['more fields', Object.values(moreFields), 71, 0],
  ['every part', Object.values(everyPart), 88, 2],
  ['functions', functionQuestions, 45, 1],
  ['later parts', Object.values(laterParts), 71, 1],
  ['last parts', Object.values(lastParts), 51, 0],
  ['unseen requests', Object.values(unseenRequests), 50, 0],
  ['unseen questions', unseenQuestions, 46, 0],
  ['more unseen requests', Object.values(moreUnseenRequests), 22, 0],
  ['more unseen questions', moreUnseenQuestions, 24, 0],
  ['third requests', Object.values(thirdRequests), 85, 1],
  ['third questions', thirdQuestions, 75, 0],
  ['fourth requests', Object.values(fourthRequests), 63, 0],
  ['fifth requests', fifthRequests, 99, 0],
  ['fourth questions', fourthQuestions, 74, 0],
  ['sixth requests', sixthRequests, 92, 0],
  ['seventh requests', seventhRequests, 99, 0],
  ['assistant requests', assistantRequests, 42, 0],
  ['leaderboard questions', leaderboardQuestions, 62, 0],
] as const)(measuredTitle, (_, all, least, most) => {
  const { right, wrong } = countVerdicts(
    all.flatMap(({ cases, tools, ...at }) => measureCorpus(cases, tools, 'now' in at ? at.now : undefined)),
  )
  expect(right).toBeGreaterThanOrEqual(least)
  expect(wrong).toBeLessThanOrEqual(most)
})

function checkScore(
  _: string,
  corpus: readonly PlannerCase[],
  tools: Parameters<typeof measureCorpus>[1],
  ...[least, most]: readonly [number, number]
): void {
  const { right, wrong } = countVerdicts(measureCorpus(corpus, tools))
  expect(right).toBeGreaterThanOrEqual(least)
  expect(wrong).toBeLessThanOrEqual(most)
}

const nameOf = (tool: object) => definitionsOf([tool])[0]?.name

/** Tools that are offered alone, or with one other. */
const offered = {
  researcher: wireTool('researcher', 'Finds facts about cities', { input: text('The task') }),
  toPublisher: wireTool('transfer_to_publisher', 'The publisher, who publishes articles', {}),
  toRefunds: wireTool('transfer_to_refunds', 'Refunds orders.', {}),
  forecast: wireTool('get_forecast', 'Weather forecast of a city', {
    city: text('City'),
    days: integer('Days'),
  }),
  convert: wireTool('convert_length', 'Converts a length to another unit', {
    value: number('The length'),
    from_unit: oneOf('cm', 'm', 'km', 'in', 'ft', 'mi'),
    to_unit: oneOf('cm', 'm', 'km', 'in', 'ft', 'mi'),
  }),
  books: wireTool('search_books', 'Searches books', {
    'query?': text('Words of the title, or the author'),
    'language?': { ...text('Language of the book'), enum: ['English', 'Swedish'] },
  }),
  route: everydayTools.find((tool) => nameOf(tool) === 'plan_route') ?? {},
  bread: devTools.find((tool) => nameOf(tool) === 'place_bread_order') ?? {},
  calculator: wireTool('calculator', 'Calculates', { 'expression?': text('Arithmetic expression') }),
  answer: wireTool('final_answer', 'Give your final answer by calling this.', {
    order: integer('The order'),
    cancelled: flag('Whether it is cancelled'),
  }),
  currency: wireTool('convert_currency', 'Converts an amount of money', {
    amount: { type: 'number' },
    from: { type: 'string' },
    to: { type: 'string' },
  }),
  flights: wireTool('search_flights', 'Searches flights', {
    from: { type: 'string' },
    to: { type: 'string' },
  }),
  translate: wireTool('translate', 'Translates a text', {
    text: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
  }),
  near: wireTool('near_find_book', 'Finds a book by its title', { title: text('Title of the book') }),
  far: wireTool('far_find_book', 'Finds a book by its title', { title: text('Title of the book') }),
}

test.each<[string, (keyof typeof offered)[], unknown[]]>([
  [
    'Let the publisher publish the article "Bergen".',
    ['researcher', 'toPublisher'],
    [['transfer_to_publisher', {}]],
  ],
  ['I need refunds: refund order 7.', ['toPublisher', 'toRefunds'], [['transfer_to_refunds', {}]]],
  [
    'Forecast for Oslo and Rome for 3 days, and 5 miles in km',
    ['forecast', 'convert'],
    [
      ['get_forecast', { city: 'Oslo', days: 3 }],
      ['get_forecast', { city: 'Rome', days: 3 }],
      ['convert_length', { value: 5, from_unit: 'mi', to_unit: 'km' }],
    ],
  ],
  [
    'Find books by Tove Jansson in Swedish',
    ['books'],
    [['search_books', { query: 'Tove Jansson', language: 'Swedish' }]],
  ],
  [
    'VAN-7 should go to Bonn, Koblenz and Mainz',
    ['route'],
    [['plan_route', { vehicle: 'VAN-7', stops: ['Bonn', 'Koblenz', 'Mainz'] }]],
  ],
  [
    'two dozen baguettes for Bistro Nord on 2026-12-01',
    ['bread'],
    [
      [
        'place_bread_order',
        {
          customer: 'Bistro Nord',
          delivery_date: '2026-12-01',
          lines: [{ product: 'baguettes', pieces: 24 }],
        },
      ],
    ],
  ],
  ['Divide 144 by 12', ['calculator'], [['calculator', { expression: '144 / 12' }]]],
  ['Report order 7 as cancelled: true.', ['answer'], [['final_answer', { order: 7, cancelled: true }]]],
  ['Convert 100 USD to EUR.', ['currency'], [['convert_currency', { amount: 100, from: 'USD', to: 'EUR' }]]],
  [
    'Convert 20 dollars into euros',
    ['currency'],
    [['convert_currency', { amount: 20, from: 'dollars', to: 'euros' }]],
  ],
  ['Send 100 USD to Kim', ['currency'], []],
  ['Flights Oslo to New York', ['flights'], [['search_flights', { from: 'Oslo', to: 'New York' }]]],
  ['Search flights from Oslo to Rome', ['flights'], [['search_flights', { from: 'Oslo', to: 'Rome' }]]],
  [
    'Translate "good morning" from English into French',
    ['translate'],
    [['translate', { text: 'good morning', from: 'English', to: 'French' }]],
  ],
  ['Find the near book "Emma".', ['near', 'far'], [['near_find_book', { title: 'Emma' }]]],
  ['Find the book "Emma".', ['near', 'far'], []],
])('"%s" with a few tools makes the right calls', (request, names, calls) => {
  expect(callsFor(request, { tools: definitionsOf(names.map((name) => offered[name])) })).toEqual(calls)
})

test.each(['Never mind', 'Thanks!'])('"%s" leaves what an earlier request lacks', (request) => {
  const messages: ChatMessage[] = [
    { role: 'user', text: 'Send an email' },
    { role: 'assistant', text: 'To whom?', calls: [] },
    { role: 'user', text: request },
  ]
  expect(ask('', { messages })).toEqual({ text: expect.not.stringContaining('needs') })
})

test.each([
  'Good.',
  'Great, thanks.',
  'Perfect!',
  'OK.',
  'Very good.',
  "That's great.",
  'Wow!',
  'Well done.',
])('"%s" before a request is no request', (praise) => {
  const messages: ChatMessage[] = [
    { role: 'user', text: `${praise} Get the status of order A-1042.` },
    {
      role: 'assistant',
      text: '',
      calls: [{ id: 'a', name: 'get_order_status', arguments: '{"order_id":"A-1042"}' }],
    },
    { role: 'tool', callId: 'a', text: '"shipped"' },
  ]
  expect(ask('', { messages })).toEqual({ text: 'get_order_status (order_id A-1042): shipped.' })
})

test('calls the tool that tool_choice names', () => {
  const choice = { name: 'search_web' }
  expect(callsFor('Hello there, old friend', { choice })).toEqual([
    ['search_web', { query: 'Hello there, old friend' }],
  ])
})

test('a named tool gets its fitting clause', () => {
  const choice = { name: 'generate_image' }
  const request = 'Tell me the weather in Oslo, and draw a cat'
  expect(callsFor(request, { choice })).toEqual([['generate_image', { prompt: 'a cat' }]])
})

test('"required" calls the best tool or says what it lacks, "none" calls nothing', () => {
  expect(callsFor('Some old order A-1042, whatever', { choice: 'required' })).toEqual([
    ['get_order_status', { order_id: 'A-1042' }],
  ])
  expect(ask('Is there anything new about orders?', { choice: 'required' })).toMatchObject({
    text: expect.stringContaining('get_order_status must have "order_id"'),
    isRefusal: true,
  })
  expect(ask('Hello', { choice: 'required' })).toMatchObject({ isRefusal: true })
  expect(callsFor('Draw a cat', { choice: 'none' })).toEqual([])
})

test('makes one call per reply without parallel calls', () => {
  expect(callsFor('Weather in Oslo and Rome', { parallel: false })).toEqual([
    ['get_weather', { city: 'Oslo' }],
  ])
})

test('does not treat instructions as requests', () => {
  const messages: ChatMessage[] = [
    { role: 'system', text: 'Draw a cat. Say hello.' },
    { role: 'user', text: 'What is the weather in Oslo?' },
  ]
  expect(plan({ messages, tools: definitionsOf(tunedTools) })).toEqual({
    calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
  })
  expect(plan({ messages: messages.slice(0, 1), tools: definitionsOf(tunedTools) })).toHaveProperty('text')
})

test('a reply without calls introduces the planner and lists the tools', () => {
  expect(ask('Tell me a joke', { tools: definitionsOf(tunedTools.slice(0, 2)) })).toEqual({
    text: 'I am a rule-based planner, not a language model: I choose tools and report their results. None of the tools I see fits this request: generate_image, edit_image.',
  })
  expect(ask('Hello', { tools: [] })).toHaveProperty('text', expect.stringContaining('offers no tools'))
})

test('names the missing parameters of a fitting tool', () => {
  expect(ask('What is the weather?')).toHaveProperty(
    'text',
    expect.stringMatching(/^get_weather needs "city"/),
  )
})

test('reports results without the tools being offered', () => {
  const messages: ChatMessage[] = [
    { role: 'user', text: 'What is the weather in Oslo?' },
    { role: 'assistant', text: '', calls: [{ id: '1', name: 'get_weather', arguments: '{"city":"Oslo"}' }] },
    { role: 'tool', callId: '1', text: '{"city":"Oslo","temperature":-3}' },
  ]
  expect(plan({ messages, tools: [] })).toEqual({ text: 'get_weather (city Oslo): temperature -3.' })
})

test('a parameter named like an object member is a plain argument', () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
  )
  const tools = [{ name: 'note_down', description: 'Note something down', parameters: schema }]
  const [[, args] = []] = callsFor('Note down "polluted"', { tools })
  expect(JSON.stringify(args)).toBe('{"__proto__":"polluted"}')
  expect(Object.getPrototypeOf({})).toBe(Object.prototype)
})

test('limits the work for a hostile request', () => {
  const hostile = [
    '( 1 + '.repeat(4000),
    'and draw a cat, then '.repeat(1500),
    '"a\' '.repeat(5000),
    'A '.repeat(10_000),
    `Draw${' '.repeat(50_000)}a cat`,
    `Draw${'\n'.repeat(50_000)}a cat`,
    '“'.repeat(20_000),
    'a'.repeat(20_000),
  ]
  for (const request of hostile) expect(ask(request)).toBeDefined()
})

const pieces =
  '12 inches to cm and |draw a cat, then |"a\' |a cat, |Ann and Bob, |5 to 9 March, |3 + 4 and |3 chairs at $45 and |a: \n|the first '

function takesLinearTime(piece: string): Promise<void> {
  const offered = { tools: definitionsOf(wideTools) }
  return expectLinear((length) => {
    const request = piece.repeat(Math.ceil(length / piece.length))
    return () => expect(ask(request, offered)).toBeDefined()
  }, 2 ** 18)
}

test.each(pieces.split('|').slice(0, 3))('a megabyte of %j is read in linear time', takesLinearTime)
slowTest.each(pieces.split('|').slice(3))('a megabyte of %j is read in linear time', takesLinearTime)

test('calls a tool without parameters with an empty object', () => {
  const tools = definitionsOf([wireTool('ring_bell', 'Ring the bell', {})])
  expect(callsFor('Ring the bell, please', { tools })).toEqual([['ring_bell', {}]])
})

const words =
  `draw say read edit make vary look up the weather in Oslo it them that picture then and , . : " ' img_abcd2345 17
  percent of 2450 add twenty on Friday 5 o'clock tomorrow 99 2026-99-99 ann@example.com https://x.y/z A-1 USD to from don't
  Attached: (image/png) square root ( ) / - 512x512 \n all each attached a red cat March 99 in 99999999 days`.split(
    /[ ]+/,
  )

test('every plan ends with a text and has no undefined arguments', () => {
  const request = fc.array(fc.constantFrom(...words), { maxLength: 25 }).map((list) => list.join(' '))
  const tools = definitionsOf(tunedTools)
  fc.assert(
    fc.property(request, (content) => {
      const messages: ChatMessage[] = [{ role: 'user', text: content }]
      for (let round = 0; ; round++) {
        const answer = plan({ messages, tools, now: corpusNow })
        if ('text' in answer) return answer.text !== ''
        if (round > 25) return false
        const calls = answer.calls.map((call, index) => ({
          id: `${round}_${index}`,
          name: call.name,
          arguments: JSON.stringify(call.arguments),
        }))
        messages.push({ role: 'assistant', text: '', calls })
        for (const { id } of calls) messages.push({ role: 'tool', callId: id, text: '"img_made2222"' })
        if (answer.calls.some((call) => Object.values(call.arguments).includes(undefined))) return false
      }
    }),
    { numRuns: cases(300) },
  )
})

test.each([
  'Read it aloud',
  'Speak it',
  'Say this',
  'Read them aloud',
  'Read the text aloud',
  'Read it all aloud, please',
  'Could you say that again?',
  'Draw it',
  'Draw that one in blue',
  'Draw something',
  'Draw it in blue',
  'Search the web for it',
  'Translate this into French',
  'Translate the following into French',
])('"%s" alone asks: a reference without a referent is no value', (request) => {
  expect(callsFor(request)).toEqual([])
})

test('a run that asks again has the same tasks, by the calendar of each day', () => {
  const request = 'What is the weather in Oslo tomorrow?'
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string' }, date: { type: 'string', format: 'date' } },
  }
  const tools = [{ name: 'get_weather', description: 'The weather of a day.', parameters }]
  const dateAt = (now: Date) => callsFor(request, { tools, now })
  const calls = (date: string) => [['get_weather', { city: 'Oslo', date }]]
  expect(dateAt(new Date(2026, 4, 1, 8))).toEqual(calls('2026-05-02'))
  expect(dateAt(new Date(2026, 4, 1, 23))).toEqual(calls('2026-05-02'))
  expect(dateAt(new Date(2026, 4, 2, 0))).toEqual(calls('2026-05-03'))
})

test('the tasks of one request are those of its own tools and of the conversation before it', () => {
  const request = 'And in Rome?'
  const tools = ['get_weather', 'get_population'].map((name) => ({
    name,
    description: '',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  }))
  const after = (name: string) => {
    const messages: ChatMessage[] = [
      { role: 'user', text: 'In Oslo?' },
      { role: 'assistant', text: '', calls: [{ id: 'a', name, arguments: '{"city":"Oslo"}' }] },
      { role: 'tool', text: '7', callId: 'a' },
      { role: 'user', text: request },
    ]
    const answer = plan({ messages, tools, now: corpusNow })
    return 'calls' in answer ? answer.calls : answer.text
  }
  expect(after('get_weather')).toEqual([{ name: 'get_weather', arguments: { city: 'Rome' } }])
  expect(after('get_population')).toEqual([{ name: 'get_population', arguments: { city: 'Rome' } }])
})
