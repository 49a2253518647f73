import { scriptedModel as ofSteps, reply, type ScriptedModel, type ScriptStep } from '@capstan/testing'

/** One prepared answer in short: words, calls as `[name, arguments, id]`, or a step. */
export type Said =
  | string
  | readonly (readonly [name: string, args?: object | string, id?: string])[]
  | ScriptStep

/** A model that answers from a script. */
export function scriptedModel(script: readonly Said[], name = 'm'): ScriptedModel {
  return ofSteps(script.map(toStep), { name })
}

function toStep(said: Said): ScriptStep {
  if (typeof said === 'string') return reply.text(said)
  if (!isCalls(said)) return said
  return reply.calls(
    ...said.map(([name, args, id]) => reply.call(name, args, id === undefined ? {} : { id })),
  )
}

function isCalls(said: Exclude<Said, string>): said is Extract<Said, readonly unknown[]> {
  return Array.isArray(said)
}
