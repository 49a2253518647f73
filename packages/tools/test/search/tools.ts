import { readFileSync } from 'node:fs'
import { type AnyTool, jsonSchema, tool } from '@capstan/core'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'

interface Operation {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, string>>
}

function read<Value>(name: string): Value {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
}

/** 300 operations of GitHub. */
export const githubTools: readonly AnyTool[] = read<readonly Operation[]>('github-tools.json').map(
  ({ name, description, parameters }) => {
    const fields = Object.entries(parameters).map(([field, text]) => [field, { description: text }])
    return tool({
      name,
      description,
      parameters: jsonSchema({ type: 'object', properties: Object.fromEntries(fields) }),
      execute: (args) => ({ done: name, args }),
    }) as AnyTool
  },
)

/** 60 questions of users, each with the operations that answer it. */
export const githubQuestions =
  read<readonly (readonly [question: string, names: readonly string[]])[]>('github-questions.json')

export type Call = readonly [name: string, args?: object]

/** A model that makes these calls, a reply for each list, and then says `Done.`. */
export function calling(...replies: readonly (readonly Call[])[]) {
  const steps: readonly ScriptStep[] = replies.map((calls) =>
    reply.calls(...calls.map(([name, args]) => reply.call(name, args ?? {}))),
  )
  return scriptedModel([...steps, reply.text('Done.')])
}

/** Returns the names of the tools that a request offers. */
export function offeredIn(
  request: { readonly tools: readonly { readonly function: { name: string } }[] } | undefined,
) {
  return request?.tools.map((one) => one.function.name)
}

/** A tool that returns its own name. */
export function named<const Name extends string>(name: Name, description = `Does ${name}`) {
  return tool({
    name,
    description,
    parameters: jsonSchema({ type: 'object', properties: {} }),
    execute: () => name,
  })
}
