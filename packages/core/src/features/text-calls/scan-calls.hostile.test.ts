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

/** Texts that a reader could read again and again. The last character makes each of them plain text. */
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
  'start tags behind words': (length) => `a.\n${'<tool_call>'.repeat(length / 11)}`,
  'a call behind words, without an end': (length) => `a.\n${call}"a": "${'<tool_call>'.repeat(length / 11)}`,
  'calls behind words': (length) =>
    `a.\n${'<tool_call>{"name": "f19", "arguments": {"a": 1}}</tool_call>'.repeat(length / 61)}`,
  'words behind a call': (length) => `${call}}}\n${'a < b [c] '.repeat(length / 10)}</a>`,
  'lines behind a call': (length) => `${call}}}${'\n'.repeat(length)}.`,
  'open quotes in words': (length) => `${'“„「'.repeat(length / 3)}\n<tool_call>`,
  'ends of sentences in words': (length) => `${'!" '.repeat(length / 3)}<tool_call>`,
  'fences in words': (length) => `${'```\n'.repeat(length / 4)}<tool_call>`,
  'parts of markers': (length) => `a${'<|tool ]<]mini [TOOL_ '.repeat(length / 22)}`,
  'values without an end': (length) => `${xmlCall}${'<parameter=a>1'.repeat(length / 14)}</parameter>`,
  'elements in one another': (length) =>
    `]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="f0">${']<]minimax[>[<a>'.repeat(length / 16)}`,
  'many elements': (length) =>
    `]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="f0">${']<]minimax[>[<a>1]<]minimax[>[</a>'.repeat(length / 34)}`,
  'marks of Gemma': (length) => `<|tool_call>call:f0{a:${'<|"|><escape>'.repeat(length / 13)}`,
  'arguments of Gemma': (length) => `<|tool_call>call:f0{${'a:<|"|>b<|"|>,'.repeat(length / 14)}}`,
  'escapes of line ends': (length) => `<tool_call>${'\\n'.repeat(length / 2)}`,
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
