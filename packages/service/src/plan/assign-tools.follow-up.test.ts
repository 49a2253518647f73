import { expect, test } from 'vitest'
import { definitionsOf, spoken } from '../../test/planner-case.js'
import { corpusNow, tunedTools } from '../../test/tuned-corpus.js'
import type { ChatMessage } from './conversation.js'
import { plan } from './plan.js'

const tools = definitionsOf(tunedTools)

function callsAfter(earlier: readonly ChatMessage[], text: string) {
  const answer = plan({ messages: [...earlier, { role: 'user', text }], tools, now: corpusNow })
  return 'calls' in answer ? answer.calls.map((call) => [call.name, call.arguments]) : []
}

const weather = spoken('What is the weather in Oslo in celsius?', [
  ['get_weather', { city: 'Oslo', unit: 'celsius' }, { temperature: -3 }],
])

test.each([
  ['And in Rome?', [{ city: 'Rome', unit: 'celsius' }]],
  [
    'What about Lima and Cairo?',
    [
      { city: 'Lima', unit: 'celsius' },
      { city: 'Cairo', unit: 'celsius' },
    ],
  ],
  ['In fahrenheit, please', [{ city: 'Oslo', unit: 'fahrenheit' }]],
])('%s changes the arguments that it mentions and keeps the rest', (text, args) => {
  expect(callsAfter(weather, text)).toEqual(args.map((one) => ['get_weather', one]))
})

test.each(['Thanks!', 'Great', 'I see', 'Why?', 'It is cold there', 'That is what I thought'])(
  '%s repeats no call',
  (text) => {
    expect(callsAfter(weather, text)).toEqual([])
  },
)

test('a follow-up makes its call only once', () => {
  const messages: ChatMessage[] = [
    ...weather,
    { role: 'user', text: 'And in Rome?' },
    { role: 'assistant', text: '', calls: [{ id: 'r', name: 'get_weather', arguments: '{"city":"Rome"}' }] },
    { role: 'tool', callId: 'r', text: '{"temperature":15}' },
  ]
  expect(plan({ messages, tools, now: corpusNow })).toEqual({
    text: 'get_weather (city Rome): temperature 15.',
  })
})

test('answers to questions complete the request over several turns', () => {
  const asked = spoken('Send an email', [], 'send_email needs "to", "subject" and "body".')
  const more = [...asked, ...spoken('To ann@example.com', [], 'send_email needs "subject" and "body".')]
  expect(callsAfter(more, 'about lunch saying "See you at noon"')).toEqual([
    ['send_email', { to: 'ann@example.com', subject: 'lunch', body: 'See you at noon' }],
  ])
  expect(callsAfter(asked, 'Never mind')).toEqual([])
})

const pictures = spoken('Draw two cats', [
  ['generate_image', { prompt: 'cats', n: 2 }, { images: ['img_first001', 'img_second02'] }],
])

test('"the first one" and "the last image" refer to the latest artifacts', () => {
  expect(callsAfter(pictures, 'Add a hat to the first one')).toEqual([
    ['edit_image', { image: 'img_first001', prompt: 'add a hat' }],
  ])
  expect(callsAfter(pictures, 'Make three variations of the last image')).toEqual([
    ['vary_image', { image: 'img_second02', n: 3 }],
  ])
})

test('"the second one" may refer to artifacts of the same request', () => {
  const messages: ChatMessage[] = [{ role: 'user', text: 'Draw two cats, then add a hat to the second one' }]
  const call = { id: 'a', name: 'generate_image', arguments: '{"prompt":"cats","n":2}' }
  messages.push({ role: 'assistant', text: '', calls: [call] })
  messages.push({ role: 'tool', callId: 'a', text: '["img_first001","img_second02"]' })
  expect(plan({ messages, tools, now: corpusNow })).toEqual({
    calls: [{ name: 'edit_image', arguments: { image: 'img_second02', prompt: 'add a hat' } }],
  })
})

test('"another one" repeats the call', () => {
  expect(callsAfter(pictures, 'Draw another one, please')).toEqual([
    ['generate_image', { prompt: 'cats', n: 2 }],
  ])
  expect(callsAfter(pictures, 'Draw another house')).toEqual([
    ['generate_image', { prompt: 'another house' }],
  ])
})
