import type { StandardSchemaV1 } from '@standard-schema/spec'
import { renderOutput } from '../answer/render-output.js'
import { tidyJson } from '../answer/tidy-json.js'
import { toParameters } from '../tool/to-parameters.js'
import { type Tool, tool } from '../tool/tool.js'
import { type Toolset, toToolset } from '../tool/toolset.js'
import { validate } from '../tool/validate.js'
import { messageOf } from '../words/error.js'
import type { Json } from '../words/json.js'

/** The form that an agent's answers have. */
export interface OutputPlan {
  readonly schema: StandardSchemaV1
  /** The tool by which the model answers, where the server cannot be asked for a form. */
  readonly tool: Tool
  /** The agent's tools with that one. */
  readonly toolset: Toolset
  /** What a server that can be is asked for. */
  readonly responseFormat: Readonly<Record<string, unknown>>
}

/** A text in the asked form, or what is wrong with it. */
export type ReadOutput = { readonly value: Json } | { readonly issues: readonly string[] }

export const outputToolName = 'final_answer'

/** @throws CapstanError `invalid_tool` for a schema that is no object's, or that JSON cannot express */
export function toOutputPlan(schema: StandardSchemaV1, tools: readonly Tool[]): OutputPlan {
  const made = tool({
    name: outputToolName,
    description: 'Give your final answer by calling this, once you have it. Words alone are no answer.',
    parameters: schema,
    effects: 'read',
    returnDirect: true,
    execute: (args) => args,
  })
  const json_schema = { name: outputToolName, schema: toParameters(schema, outputToolName) }
  return {
    schema,
    tool: made,
    toolset: toToolset([...tools, made]),
    responseFormat: { response_format: { type: 'json_schema', json_schema } },
  }
}

/** Reads an answer in words as one in the asked form: JSON, in a code fence or not. */
export async function readOutput(text: string, { schema }: OutputPlan): Promise<ReadOutput> {
  let given: unknown
  try {
    given = JSON.parse(tidyJson(text).text)
  } catch {
    return { issues: ['it is no JSON'] }
  }
  try {
    const checked = await validate(schema, given)
    if (!checked.ok) return { issues: checked.issues }
    return { value: renderOutput(checked.value).result ?? null }
  } catch (error) {
    // The schema's own code failed, or made what JSON would lose: as with a tool, the model hears of it.
    return { issues: [messageOf(error)] }
  }
}
