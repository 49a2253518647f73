import { expect, test } from 'vitest'
import { definitionsOf } from '../../test/planner-case.js'
import { corpusNow, tunedTools } from '../../test/tuned-corpus.js'
import type { ChatMessage } from './conversation.js'
import { plan } from './plan.js'

type Results = Readonly<Record<string, unknown>>

/** Plays a whole conversation: every call is answered from `results` (a list is used up one by one). */
function play(request: string, results: Results, earlier: readonly ChatMessage[] = []) {
  const messages: ChatMessage[] = [...earlier, { role: 'user', text: request }]
  const used = new Map<string, number>()
  const steps: [string, unknown][][] = []
  for (let step = 0; step < 12; step++) {
    const answer = plan({ messages, tools: definitionsOf(tunedTools), now: corpusNow })
    if ('text' in answer) return { steps, text: answer.text, messages }
    steps.push(answer.calls.map((call) => [call.name, call.arguments]))
    const calls = answer.calls.map((call, index) => ({
      id: `call_${step}_${index}`,
      name: call.name,
      arguments: JSON.stringify(call.arguments),
    }))
    messages.push({ role: 'assistant', text: '', calls })
    for (const { id, name } of calls) {
      const list = [results[name]].flat()
      const at = used.get(name) ?? 0
      used.set(name, at + 1)
      messages.push({ role: 'tool', callId: id, text: JSON.stringify(list[at % list.length] ?? null) })
    }
  }
  throw new Error(`no end after ${JSON.stringify(steps)}`)
}

const image = (artifact: string) => ({
  images: [{ artifact, mediaType: 'image/png', width: 1024, height: 1024 }],
})
const results = {
  get_weather: { city: 'Oslo', temperature: -3, conditions: 'light snow' },
  generate_image: image('img_draw1ng2'),
  edit_image: image('img_ed1ted22'),
  vary_image: { images: [...image('img_vari0001').images, ...image('img_vari0002').images] },
  speak: { audio: { artifact: 'aud_sp0ken22', mediaType: 'audio/wav' } },
  transcribe_audio: { text: 'hello from the north' },
  calculator: { result: 416.5 },
}
const weatherInWords = 'temperature -3, conditions light snow'

test('chains lookup, drawing, editing and speech', () => {
  const { steps, text } = play(
    'Look up the weather in Oslo, draw it, then add a red balloon to the drawing and read a sentence about it aloud.',
    results,
  )
  expect(steps).toEqual([
    [['get_weather', { city: 'Oslo' }]],
    [['generate_image', { prompt: `the weather in Oslo: ${weatherInWords}` }]],
    [
      ['edit_image', { image: 'img_draw1ng2', prompt: 'add a red balloon' }],
      ['speak', { input: `The weather in Oslo: ${weatherInWords}.` }],
    ],
  ])
  expect(text.split('\n')).toEqual([
    `get_weather (city Oslo): ${weatherInWords}.`,
    'generate_image made img_draw1ng2.',
    'edit_image made img_ed1ted22.',
    'speak made aud_sp0ken22.',
  ])
})

test('calls two independent tools at once', () => {
  const { steps, text } = play('What is 17 percent of 2450, and draw a red sailboat at sunset', results)
  expect(steps).toEqual([
    [
      ['calculator', { expression: '17 / 100 * 2450' }],
      ['generate_image', { prompt: 'a red sailboat at sunset' }],
    ],
  ])
  expect(text).toBe('calculator (expression 17 / 100 * 2450): 416.5.\ngenerate_image made img_draw1ng2.')
})

test('draws, edits and varies by the newest id', () => {
  const { steps } = play(
    "Draw a lighthouse, then make it blue, then make two variations of it and read 'Done' aloud",
    results,
  )
  expect(steps).toEqual([
    [['generate_image', { prompt: 'a lighthouse' }]],
    [['edit_image', { image: 'img_draw1ng2', prompt: 'make it blue' }]],
    [
      ['vary_image', { image: 'img_ed1ted22', n: 2 }],
      ['speak', { input: 'Done' }],
    ],
  ])
})

test('transcribes and draws spoken text', () => {
  const { steps } = play('Say "hello from the north", then transcribe it, and draw the transcript.', results)
  expect(steps).toEqual([
    [['speak', { input: 'hello from the north' }]],
    [['transcribe_audio', { file: 'aud_sp0ken22' }]],
    [['generate_image', { prompt: 'hello from the north' }]],
  ])
})

test('removes voice and format from the spoken text', () => {
  const { steps } = play('Say hello there in the voice rms as wav', results)
  expect(steps).toEqual([[['speak', { input: 'hello there', voice: 'rms', format: 'wav' }]]])
})

test('"read the weather aloud" speaks the result of the earlier clause', () => {
  const { steps } = play('Get the weather in Oslo and read the weather aloud', results)
  expect(steps[1]).toEqual([['speak', { input: `The weather in Oslo: ${weatherInWords}.` }]])
})

test('"them" refers to two results', () => {
  const { steps } = play('Get the weather in Oslo and Rome, then draw them', {
    ...results,
    get_weather: [{ temperature: -3 }, { temperature: 15 }],
  })
  expect(steps).toEqual([
    [
      ['get_weather', { city: 'Oslo' }],
      ['get_weather', { city: 'Rome' }],
    ],
    [
      [
        'generate_image',
        { prompt: 'the weather in Oslo and Rome: Oslo temperature -3; Rome temperature 15' },
      ],
    ],
  ])
})

test('reports a failed call, without a retry and without dependent calls', () => {
  const { steps, text } = play('Draw a cat, then add a hat to the drawing', {
    ...results,
    generate_image: { error: { message: 'the painter is out of paint' } },
  })
  expect(steps).toHaveLength(1)
  expect(text).toBe(
    'generate_image failed: the painter is out of paint.\n"add a hat to the drawing" was not done because an earlier step failed.',
  )
})

test('independent tasks run after a failed call', () => {
  const { steps, text } = play('Draw a cat, then tell me the weather in Oslo', {
    ...results,
    generate_image: 'Error: out of paint',
  })
  expect(steps[1]).toEqual([['get_weather', { city: 'Oslo' }]])
  expect(text).toContain('generate_image failed: out of paint.')
})

test('a later request refers to an earlier artifact', () => {
  const first = play('Draw a lighthouse', results)
  const earlier: ChatMessage[] = [...first.messages, { role: 'assistant', text: first.text, calls: [] }]
  expect(play('Now make it blue', results, earlier).steps).toEqual([
    [['edit_image', { image: 'img_draw1ng2', prompt: 'make it blue' }]],
  ])
  expect(play('Draw another house', results, earlier).steps).toEqual([
    [['generate_image', { prompt: 'another house' }]],
  ])
})

test('runs a lookup before a drawing that needs it', () => {
  const { steps } = play('Draw the weather in Oslo and read it aloud.', results)
  expect(steps).toEqual([
    [['get_weather', { city: 'Oslo' }]],
    [
      ['generate_image', { prompt: `the weather in Oslo: ${weatherInWords}` }],
      ['speak', { input: `The weather in Oslo: ${weatherInWords}.` }],
    ],
  ])
})

test('an edit without an object changes the previous image', () => {
  const { steps } = play('Draw a lighthouse, add a boat and draw a picture of a dog', results)
  expect(steps).toEqual([
    [
      ['generate_image', { prompt: 'a lighthouse' }],
      ['generate_image', { prompt: 'a dog' }],
    ],
    [['edit_image', { image: 'img_draw1ng2', prompt: 'add a boat' }]],
  ])
})

test('"each" varies every image', () => {
  const { steps } = play('Draw a cat and draw a dog', {
    ...results,
    generate_image: [image('img_cat00001'), image('img_dog00001')],
  })
  expect(steps[0]).toHaveLength(2)
  const both = play('Make 2 variations of img_cat00001, then edit them: add a hat', results)
  expect(both.steps[1]).toEqual([
    ['edit_image', { image: 'img_vari0001', prompt: 'add a hat' }],
    ['edit_image', { image: 'img_vari0002', prompt: 'add a hat' }],
  ])
})

test('a masked edit uses the attached image and mask', () => {
  const attached = 'Attached: img_ab12cd34 (image/png, 64 bytes), img_mask2222 (image/png, 64 bytes)'
  const { steps } = play(`Replace the masked area with a duck\n\n${attached}`, results)
  expect(steps).toEqual([
    [
      [
        'edit_image',
        { image: 'img_ab12cd34', mask: 'img_mask2222', prompt: 'replace the masked area with a duck' },
      ],
    ],
  ])
})

test('the attached image takes precedence over drawn ones', () => {
  const { steps } = play(
    'Draw a cat, then edit the attached picture: add a hat\nAttached: img_ab12cd34 (image/png, 64x64)',
    results,
  )
  expect(steps[1]).toEqual([['edit_image', { image: 'img_ab12cd34', prompt: 'add a hat' }]])
})

test('an attached mask belongs to the attached image', () => {
  const { steps } = play(
    'Edit the attached picture with the mask: add a hat\nAttached: img_ab12cd34 (image/png, 64x64)\nAttached: img_mask2222 (image/png, 64x64)',
    results,
  )
  expect(steps).toEqual([
    [['edit_image', { image: 'img_ab12cd34', mask: 'img_mask2222', prompt: 'add a hat' }]],
  ])
})

test('does not assign a call to an earlier waiting clause', () => {
  const attached = 'Attached: img_ab12cd34 (image/png, 64 bytes)'
  const { steps } = play(
    `Draw a cat, then add a hat to it. Edit the attached picture: add a moon\n${attached}`,
    results,
  )
  expect(steps).toEqual([
    [
      ['generate_image', { prompt: 'a cat' }],
      ['edit_image', { image: 'img_ab12cd34', prompt: 'add a moon' }],
    ],
    [['edit_image', { image: 'img_draw1ng2', prompt: 'add a hat' }]],
  ])
})

test('names a clause without a fitting tool', () => {
  expect(play('Draw a cat and book a table at Luigi', results).text).toBe(
    'generate_image made img_draw1ng2.\nNot done: "book a table at Luigi". None of the tools fits it.',
  )
})

test.each([
  ['What is the weather in Oslo and feed the cat?', 'feed the cat'],
  ['What is the weather in Oslo? Feed the cat.', 'Feed the cat'],
  ['Feed the cat, look up the weather in Oslo', 'Feed the cat'],
  ['Look up the weather in Oslo, and who won the match?', 'who won the match'],
  ['What is the weather in Oslo and the tide in Rome?', 'the tide in Rome'],
])('%s: reports both results and undone clauses', (request, left) => {
  expect(play(request, results).text).toBe(
    `get_weather (city Oslo): ${weatherInWords}.\nNot done: "${left}". None of the tools fits it.`,
  )
})

test.each([
  ['Draw a boy who can run and catch the ball', 'a boy who can run and catch the ball'],
  ['Draw a cat jumping and chasing the ball', 'a cat jumping and chasing the ball'],
])('%s is one task', (request, prompt) => {
  expect(play(request, results).steps).toEqual([[['generate_image', { prompt }]]])
})

test('speaks a whole text', () => {
  expect(play('Say good night and hug the kids', results).steps).toEqual([
    [['speak', { input: 'good night and hug the kids' }]],
  ])
})

test.each([
  ['Get the weather in Oslo and buy milk', 'buy milk'],
  ['Get the weather in Oslo. Could you also bake a cake?', 'bake a cake'],
  ['Get the weather in Oslo, do my homework', 'do my homework'],
  ['Get the weather in Oslo. Is Bob home?', 'Is Bob home'],
])('%s: reports that no tool fits "%s"', (request, left) => {
  expect(play(request, results).text).toContain(`Not done: "${left}".`)
})

test.each([
  ['What is 3 plus 4 and 5 times 6?', ['3 + 4', '5 * 6']],
  ['What is 12 plus 5, and then times 3?', ['(12 + 5) * 3']],
  ['What is 100 divided by 4 minus 5?', ['100 / 4 - 5']],
])('%s is one calculation', (request, sums) => {
  expect(play(request, results).steps).toEqual([sums.map((expression) => ['calculator', { expression }])])
})

test.each(['Can you draw?', 'Are you able to speak French?', 'Do you speak French?'])(
  '%s requests nothing',
  (request) => {
    expect(play(request, results).steps).toEqual([])
  },
)

test('ignores an image in the message and reports that', () => {
  const messages: ChatMessage[] = [{ role: 'user', text: 'Draw a cat like this', unseen: ['picture'] }]
  const call = { id: 'a', name: 'generate_image', arguments: '{"prompt":"a cat"}' }
  messages.push(
    { role: 'assistant', text: '', calls: [call] },
    { role: 'tool', callId: 'a', text: '"img_cat00001"' },
  )
  expect(plan({ messages, tools: definitionsOf(tunedTools) })).toEqual({
    text: 'generate_image made img_cat00001.\nI can neither see nor hear: the picture in the message was ignored.',
  })
})

test('a message that shows the pictures of results is no request', () => {
  const call = { id: 'a', name: 'generate_image', arguments: '{"prompt":"a cat"}' }
  const shown = 'Images from the results above: img_cat00001'
  const messages: ChatMessage[] = [
    { role: 'user', text: 'Draw a cat' },
    { role: 'assistant', text: '', calls: [call] },
    { role: 'tool', callId: 'a', text: '"img_cat00001"' },
    { role: 'user', text: shown, unseen: ['picture'] },
  ]
  const text = 'generate_image made img_cat00001.'
  const tools = definitionsOf(tunedTools)
  expect(plan({ messages, tools })).toEqual({
    text: `${text}\nI can neither see nor hear: the picture in the message was ignored.`,
  })
  const after: ChatMessage[] = [
    ...messages.slice(0, 3),
    { role: 'user', text: shown },
    { role: 'assistant', text, calls: [] },
    { role: 'user', text: 'Thanks.' },
  ]
  expect(plan({ messages: after, tools })).not.toHaveProperty('calls')
})

test('a remark requests nothing', () => {
  const { text } = play('Thank you! My name is Bob. What is the weather in Oslo? I like snow.', results)
  expect(text).toBe(`get_weather (city Oslo): ${weatherInWords}.`)
})

test('a size is not a product, and large sums are exact', () => {
  expect(play('Draw a 200 x 100 picture of a cat', results).steps).toEqual([
    [['generate_image', { prompt: 'a cat', size: '200x100' }]],
  ])
  expect(play('What is 2.5 million times 2?', results).steps).toEqual([
    [['calculator', { expression: '2500000 * 2' }]],
  ])
})
