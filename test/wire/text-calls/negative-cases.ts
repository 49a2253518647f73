import { type Notation, notations } from './notations.js'
import { offeredTools } from './positive-cases.js'
import type { TextCase } from './text-case.js'

const oslo = { name: 'get_weather', arguments: { city: 'Oslo' } }

interface Rule {
  readonly name: string
  readonly text: (notation: Notation) => string
  readonly question?: (notation: Notation) => string
  readonly toolResult?: (notation: Notation) => string
  /** Whether the rule is for notations without a marker alone, or for those with one. Default: for all. */
  readonly isMarked?: boolean
}

const bergen = { name: 'get_weather', arguments: { city: 'Bergen' } }

const usualQuestion = 'What is the weather like?'

/** What makes a text that has a call in it no call, for every notation. */
const rules: readonly Rule[] = [
  {
    name: 'words in front',
    text: ({ write }) => `Sure, I will look that up:\n${write([oslo])}`,
    isMarked: false,
  },
  { name: 'words behind', text: ({ write }) => `${write([oslo])}\nI hope this helps.`, isMarked: false },
  {
    name: 'words on both sides',
    text: ({ write }) => `I will look that up.\n${write([oslo])}\nI hope this helps.`,
  },
  { name: 'in a sentence', text: ({ write }) => `To look it up, send ${write([oslo])}`, isMarked: true },
  {
    name: 'in a fence behind words',
    text: ({ write }) => `It is written like this.\n\n\`\`\`\n${write([oslo])}\n\`\`\``,
  },
  {
    name: 'like an echo, beside words',
    text: ({ write }) => `The page says so.\n${write([oslo])}`,
    toolResult: ({ write }) => `<p>${write([bergen]).replaceAll('<', '&lt;')}</p>`,
    isMarked: true,
  },
  {
    name: 'a tool that is not offered',
    text: ({ write }) => write([{ name: 'delete_account', arguments: { city: 'Oslo' } }]),
  },
  {
    name: 'arguments that do not fit',
    text: ({ write }) => write([{ name: 'get_weather', arguments: { town: 'Oslo' } }]),
  },
  {
    name: 'cut off within its arguments',
    text: ({ write }) => {
      const text = write([oslo])
      return text.slice(0, text.lastIndexOf('Oslo') + 2)
    },
  },
  {
    name: 'an echo of a result',
    text: ({ write }) => write([oslo]),
    toolResult: ({ write }) => `Page 1 of 1\n\n${write([oslo])}\n\nEnd of page`,
  },
  {
    name: 'an echo of the user',
    text: ({ write }) => write([oslo]),
    question: ({ write }) => `Repeat exactly what follows. ${write([oslo])}`,
  },
]

const byRule: readonly TextCase[] = notations.flatMap((notation, row) =>
  rules
    .filter(({ isMarked }) => isMarked === undefined || isMarked === (notation.isMarked ?? true))
    .map(({ name, text, question, toolResult }, column) => ({
      id: `${notation.name}, ${name}`,
      family: name,
      evidence: notation.evidence,
      tools: offeredTools,
      question: question?.(notation) ?? usualQuestion,
      text: text(notation),
      calls: [],
      ...(toolResult ? { toolResult: toolResult(notation) } : {}),
      pieceLength: 1 + ((row + column) % 9),
    })),
)

const call = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'

/** Texts of no one notation. */
const others: Readonly<Record<string, string>> = {
  'a page about calls':
    'Models of this family write a call like this:\n\n```\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>\n```\n\nThe server turns it into `tool_calls`.',
  'a call in a sentence': `To ask for the weather, send ${call} to the server.`,
  'a call in inline code': `\`${call}\` is what you need.`,
  'a fence with a title': `**Request**\n\n\`\`\`json\n${call}\n\`\`\``,
  'two fences with words between': `\`\`\`json\n${call}\n\`\`\`\nand\n\`\`\`json\n${call}\n\`\`\``,
  'a list of steps': `1. <tool_call>${call}</tool_call>\n2. Wait for the answer.`,
  'a quoted block': `> <tool_call>${call}</tool_call>`,
  'a table row': `| Qwen | <tool_call>${call}</tool_call> |`,
  'an HTML page': `<html><body><pre>&lt;tool_call&gt;${call}&lt;/tool_call&gt;</pre></body></html>`,
  'an XML document': `<?xml version="1.0"?><doc><tool_call>${call}</tool_call></doc>`,
  'a program': 'const result = get_weather({ city: "Oslo" })\nconsole.log(result)',
  'a call in Python': 'get_weather(city="Oslo")',
  'an assignment in Python': 'weather = [get_weather(city="Oslo")]',
  'a Python list with a value that is computed': '[get_weather(city="Os" + "lo")]',
  'a Python list with a call inside': '[get_weather(city=get_city())]',
  'a Python list without keywords': '[get_weather("Oslo")]',
  'a person': '{"name": "Ada", "arguments": {"city": "Oslo"}}',
  'a person and a tool of that name': '{"person": "Ada", "name": "get_weather"}',
  'an answer in JSON': '{"city": "Oslo", "temperature": 4}',
  'a list of answers': '[{"name": "Oslo", "temperature": 4}, {"name": "Rome", "temperature": 19}]',
  'arguments alone': '{"city": "Oslo"}',
  'a name alone': '{"name": "get_weather"}',
  'further fields': '{"name": "get_weather", "arguments": {"city": "Oslo"}, "result": {"degrees": 4}}',
  'a call and its result': `<tool_call>${call}</tool_call>\n<tool_response>{"degrees": 4}</tool_response>\nIt is 4 degrees.`,
  'one of two is not offered': `<tool_call>${call}</tool_call>\n<tool_call>{"name": "delete_account", "arguments": {}}</tool_call>`,
  'one of two does not fit': `[${call}, {"name": "get_weather", "arguments": {"city": 7}}]`,
  'closed by another family': `<tool_call>${call}<|call|>`,
  'opened by another family': `[TOOL_CALLS]${call}</tool_call>`,
  'calls of two families': `<tool_call>${call}</tool_call>\n[TOOL_CALLS][${call}]`,
  'an unclosed fence': `\`\`\`json\n${call}`,
  'two objects in one call': `<tool_call>${call}${call}</tool_call>`,
  'an empty call': '<tool_call>\n</tool_call>',
  'empty markers': '<｜tool▁calls▁begin｜><｜tool▁calls▁end｜>',
  'an empty list': '[TOOL_CALLS][]',
  'broken JSON': '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}</tool_call>',
  'single quotes': "<tool_call>{'name': 'get_weather', 'arguments': {'city': 'Oslo'}}</tool_call>",
  'a comment in JSON': '{"name": "get_weather", /* the city */ "arguments": {"city": "Oslo"}}',
  'a name with other letters':
    '<tool_call>{"name": "Get_Weather", "arguments": {"city": "Oslo"}}</tool_call>',
  'a name in another namespace':
    '<|channel|>commentary to=browser.get_weather<|message|>{"city": "Oslo"}<|call|>',
  'harmony to nobody': '<|channel|>final<|message|>{"city": "Oslo"}<|return|>',
  'thoughts of a call': `<think>I could write <tool_call>${call}</tool_call>, but I know it.</think>It is cold in Oslo.`,
  'thoughts without an end': `<think><tool_call>${call}</tool_call>`,
  'a value of another type':
    '<tool_call>\n<function=book_table>\n<parameter=guests>\nmany\n</parameter>\n</function>\n</tool_call>',
  'a parameter without its end': '<function=get_weather>\n<parameter=city>\nOslo\n</function>',
  'a value outside the enum': '{"name": "get_weather", "arguments": {"city": "Oslo", "unit": "kelvin"}}',
  'a date in brackets': '[2026-11-23] The weather in Oslo is fine.',
  'a smile': '[happy()] All is well.',
  'markers in prose': 'The token <|python_tag|> starts a call, and <|eom_id|> ends the message.',
}

const wordForWord: readonly TextCase[] = Object.entries(others).map(([name, text], row) => ({
  id: name,
  family: 'other texts',
  evidence: 'derived from the notations',
  tools: offeredTools,
  question: usualQuestion,
  text,
  calls: [],
  pieceLength: 1 + (row % 9),
}))

/** Replies that have a call in them, or look like one, and are text. */
export const negativeCases: readonly TextCase[] = [...byRule, ...wordForWord]
