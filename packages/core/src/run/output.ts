import type { StandardSchemaV1 } from '@standard-schema/spec'
import { jsonInWords } from '../answer/json-in-words.js'
import { renderOutput } from '../answer/render-output.js'
import { toParameters } from '../tool/to-parameters.js'
import { type Tool, tool } from '../tool/tool.js'
import { type Toolset, toToolset } from '../tool/toolset.js'
import { validate } from '../tool/validate.js'
import { messageOf } from '../words/error.js'
import type { Json } from '../words/json.js'
import { type OutputForm, toOutputForm } from './output-form.js'

/** The form that an agent's answers have. */
export interface OutputPlan {
  readonly schema: StandardSchemaV1
  readonly form: OutputForm
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

/** @throws CapstanError `invalid_tool` for a schema that JSON cannot express */
export function toOutputPlan(schema: StandardSchemaV1, tools: readonly Tool[]): OutputPlan {
  const form = toOutputForm(schema, outputToolName)
  const made = tool({
    name: outputToolName,
    description: 'Give your final answer by calling this, once you have it. Words alone are no answer.',
    parameters: form.schema,
    effects: 'read',
    returnDirect: true,
    execute: (args) => form.unwrap(args) ?? null,
  })
  const json_schema = { name: outputToolName, schema: toParameters(form.schema, outputToolName) }
  return {
    schema,
    form,
    tool: made,
    toolset: toToolset([...tools, made]),
    responseFormat: { response_format: { type: 'json_schema', json_schema } },
  }
}

/** Reads an answer in words as one in the asked form: JSON, in a code fence or not, at the end of other words or not. */
export async function readOutput(text: string, { form }: OutputPlan): Promise<ReadOutput> {
  const given = jsonInWords(text, form.opening)
  if (!given) return { issues: ['it is no JSON'] }
  try {
    const checked = await validate(form.schema, given.value)
    if (!checked.ok) return { issues: checked.issues }
    return { value: renderOutput(form.unwrap(checked.value)).result ?? null }
  } catch (error) {
    // The schema's own code failed, or made what JSON would lose: as with a tool, the model hears of it.
    return { issues: [messageOf(error)] }
  }
}
