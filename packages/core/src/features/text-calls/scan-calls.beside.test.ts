import { expect, it } from 'vitest'
import type { ToolDefinition } from '../../types/message.js'
import { MarkupScanner, readTextCalls } from './scan-calls.js'

const tools: ToolDefinition[] = ['search', 'now'].map((name) => ({
  type: 'function',
  function: {
    name,
    description: '',
    parameters: { type: 'object', properties: { q: { type: 'string' } }, additionalProperties: false },
  },
}))

const call = '<tool_call>{"name": "search", "arguments": {"q": "a"}}</tool_call>'
const mistral = '[TOOL_CALLS]search[ARGS]{"q": "a"}'
const deepseek =
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>search<｜tool▁sep｜>{"q": "a"}<｜tool▁call▁end｜>'

/** Words before the call, the call, and words after it. */
const beside: readonly (readonly [before: string, markup: string, behind: string])[] = [
  ['I will search.', call, ''],
  ['I will search. ', mistral, ''],
  ['I will search!\n', deepseek, ''],
  ['I will search:\n\n', call, ''],
  ['I will search\n', call, ''],
  ['Wait… ', call, ''],
  ['Searching... ', call, ''],
  ['**I will search.** ', call, ''],
  ['He said "yes." ', call, ''],
  ['“Yes.” ', call, ''],
  ['„Ja.“ Ich suche. ', call, ''],
  ['«Oui.» Je cherche. ', call, ''],
  ['我再查几条。', call, ''],
  ['أبحث الآن.\n', call, ''],
  ['Sure 😊\n', call, ''],
  ['# A plan\n\n- Search.\n- Answer.\n\n', call, ''],
  ['Run `npm i`.\n\n```js\nconst a = b < c\n```\n\nNow I search.\n', call, ''],
  ['a < b, a [link](https://example.com), <b>bold</b>.\n', call, ''],
  ["It's 5 o'clock.\n", call, ''],
  ['', call, '\nI hope this helps.'],
  ['', call, '\r\n\r\nThen I answer.'],
  ['', mistral, '\n\n**Then** I answer.'],
  ['', `${call}\n${call}`, '\n- Done.'],
  ['I search twice.\n', `${call}\n${call}`, ''],
]

it.each(beside)('%j, a call, %j', (before, markup, behind) => {
  const text = before + markup + behind
  const found = readTextCalls(text, tools)
  expect(found).toMatchObject({ before, behind: behind.trimStart(), start: before.length })
  expect(found?.calls[0]).toEqual({ name: 'search', arguments: '{"q": "a"}' })
  const scanner = new MarkupScanner(tools)
  const states = [...text].map((sign) => {
    const state = scanner.add(sign)
    return state === 'text' ? Infinity : scanner.start
  })
  // No part of the markup is shown, wherever the text is cut.
  expect(states.slice(before.length).every((start) => start <= before.length)).toBe(true)
})

/** Texts that contain markup with an offered tool, but are plain text. */
const words: readonly string[] = [
  // in code
  `Like this.\n\n\`\`\`\n${call}\n\`\`\``,
  `Like this.\n\n\`\`\`\n${call}`,
  `Like this.\n\n~~~~xml\n~~~\n${call}`,
  `Like this.\n\n\`\`\`\`md\n\`\`\`\n${call}`,
  `Like this.\n\n    ${call}`,
  `Like this.\n\n\t${call}`,
  `Like this. \`${call}\``,
  `Like this. \`\n${call}`,
  `<pre>Like this.\n${call}`,
  `<code>\n${call}`,
  `<!-- Like this.\n${call}`,
  `<example>\n${call}`,
  `${call}\n\`\`\``,
  // in quotes
  `He wrote: "${call}"`,
  `He wrote "Fine. ${call}`,
  `He wrote “Fine.\n${call}`,
  `He wrote „Fine. ${call}`,
  `"${call}"`,
  `“${call}”`,
  `> ${call}`,
  `> I search.\n> ${call}`,
  // in a sentence
  `Send ${call}`,
  `Send this: ${call}`,
  `You can write, for example,\n${call}`,
  `A call, e.g. ${call}`,
  `${call} is a call.`,
  `${call}. That is a call.`,
  `${call}, and then wait.`,
  `Answer (\n${call}`,
  `1. ${call}`,
  `- ${call}`,
  `| Qwen | ${call}`,
  `a = ${call}`,
  // on both sides
  `I search.\n${call}\nI answer.`,
  `I search.\n${call}\nAgain.\n${call}`,
  `${call}\nAgain.\n${call}`,
  // next to other markup
  `I write <tool_call>.\n${call}`,
  `I write \`[TOOL_CALLS]\`.\n${call}`,
  `${call}\n<tool_response>{}</tool_response>\nDone.`,
  `${call}\n[TOOL_RESULTS]{}[/TOOL_RESULTS]\nDone.`,
  `${call}\n{"degrees": 4}\nIt is cold.`,
  `${call}\n<|im_start|>user\nThanks.`,
  `${call}\nDone.</tool_call>`,
  `I search.\n${call}\n${mistral}`,
  // without a marker, or in a fence
  `I search.\n{"name": "search", "arguments": {"q": "a"}}`,
  `I search.\n[search(q="a")]`,
  `I search.\n\`\`\`json\n{"name": "search", "arguments": {"q": "a"}}\n\`\`\``,
  `I search.\nfunctools[{"name": "search", "arguments": {"q": "a"}}]`,
  `{"name": "search", "arguments": {"q": "a"}}\nDone.`,
  // a different tool, arguments that do not fit, a part
  `I search.\n${call.replace('search', 'remove')}`,
  `I search.\n${call.replace('"q"', '"p"')}`,
  `I search.\n${call.replace('"a"', '5')}`,
  `I search.\n${call}${call.replace('search', 'remove')}`,
  `I search.\n${call.slice(0, -20)}`,
  `I search.\n<tool_call>\n</tool_call>`,
  `${call.replace('"a"', '5')}\nDone.`,
  // in reasoning
  `<think>I search.\n${call}`,
  `<think>I search.\n${call}</think>`,
  `<think>I search.\n${call}</think>No.`,
]

it.each(words)('words: %s', (text) => {
  expect(readTextCalls(text, tools)).toBeUndefined()
  const scanner = new MarkupScanner(tools)
  let held = 0
  for (const [index] of [...text].entries()) {
    const state = scanner.add(text.charAt(index))
    held = Math.max(held, state === 'text' ? 0 : index + 1 - scanner.start)
  }
  expect(held).toBeLessThanOrEqual(200)
})
