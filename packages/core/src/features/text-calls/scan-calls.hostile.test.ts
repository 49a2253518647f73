import { describe, expect, it } from 'vitest'
import { expectLinear } from '../../../test/expect-linear.js'
import type { ToolDefinition } from '../../types/message.js'
import { MarkupScanner, readTextCalls } from './scan-calls.js'

const tools: ToolDefinition[] = Array.from({ length: 20 }, (_, index) => ({
  type: 'function',
  function: { name: `f${index}`, description: '', parameters: { type: 'object' } },
}))

const call = '<tool_call>{"name": "f0", "arguments": {'
const xmlCall = '<tool_call><function=f0>'

/** Texts that a reader could read again and again. The last character makes each of them words. */
const hostile: Readonly<Record<string, (length: number) => string>> = {
  spaces: (length) => ' '.repeat(length),
  'start tags': (length) => '<tool_call>'.repeat(length / 11),
  'start tags of fields': (length) => xmlCall + '<parameter=a>'.repeat(length / 13),
  'fields without an end': (length) => `${xmlCall}<parameter=${'a'.repeat(length)}`,
  'many fields': (length) => xmlCall + '<parameter=a>1</parameter>'.repeat(length / 26),
  'many calls': (length) =>
    '<tool_call>{"name": "f19", "arguments": {"a": 1}}</tool_call>'.repeat(length / 61),
  'many bare calls': (length) => '{"name": "f19", "parameters": {}};'.repeat(length / 34),
  'deep lists': (length) => `${call}"a": ${'['.repeat(length)}`,
  'closed deep lists': (length) =>
    `${call}"a": ${'['.repeat(length / 2)}${']'.repeat(length / 2)}}}</tool_call>`,
  'a string without an end': (length) => `${call}"${'a'.repeat(length)}`,
  'escapes without an end': (length) => `${call}"${'\\'.repeat(length)}`,
  'almost JSON': (length) => `${call}"a": ${'1, '.repeat(length / 3)}}}</tool_call>`,
  'many keys': (length) => `${call}${'"a": 1, '.repeat(length / 8)}"a": 1}}</tool_call>`,
  'inner functions': (length) => '{"function": '.repeat(length / 13),
  'Python lists': (length) => `[f0(a=${'['.repeat(length)}`,
  'a long Python list': (length) => `[f0(a=[${'[1], '.repeat(length / 5)}1])`,
  'a long Python string': (length) => `[f0(a='${'\\n"'.repeat(length / 3)}')`,
  'many Python calls': (length) => `[f0()${', f0(a=1)'.repeat(length / 9)}`,
  'reasoning again and again': (length) => '<think></think>'.repeat(length / 15),
  'reasoning without an end': (length) => '<think>'.repeat(length / 7),
  'ends of reasoning': (length) => `a${'</think>'.repeat(length / 8)}`,
  'end tokens': (length) => `{"name": "f0", "arguments": {}}${'<|im_end|>'.repeat(length / 10)}`,
  'open angles': (length) => `a${'<'.repeat(length)}`,
  words: (length) => 'The word <b>is</b> {long}. '.repeat(length / 27),
}

function scanAll(text: string, piece: number): void {
  const scanner = new MarkupScanner(tools)
  for (let at = 0; at < text.length; at += piece) scanner.add(text.slice(at, at + piece))
}

describe.each(Object.entries(hostile))('100 kB of %s', (_, make) => {
  it('are words', () => {
    expect(readTextCalls(`${make(100_000)}!`, tools)).toBeUndefined()
  })

  it.each([
    ['whole', (text: string) => readTextCalls(text, tools)],
    ['in pieces', (text: string) => scanAll(text, 20)],
  ])('are read in linear time, %s', (_how, read) =>
    expectLinear((length) => {
      const text = `${make(length)}!`
      return () => read(text)
    }, 25_000),
  )
})
