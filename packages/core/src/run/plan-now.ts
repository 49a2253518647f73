import { readArtifact } from '../tool/read-artifact.js'
import { type Toolset, toToolset } from '../tool/toolset.js'
import type { RunState } from '../words/state.js'
import { type OutputPlan, toOutputPlan } from './output.js'
import { isNative } from './request.js'
import type { RunPlan } from './walk.js'

/**
 * What the run is made of as it stands: by the agent that goes on, with the tool of its final answer where the server
 * cannot be asked for a form, and with `read_artifact` once a result was too long to be shown.
 */
export function planNow(state: RunState, given: RunPlan): RunPlan {
  const { agent, flags } = state
  const plan = given.agent === agent ? given : handed(given, given.of(agent))
  const { output } = plan
  const toolset = output && !isNative(state, plan) ? output.toolset : plan.toolset
  const reading = flags.shortened && !toolset.get(readArtifact.name) ? withReader(toolset) : toolset
  if (reading === plan.toolset && !flags.misshapen) return plan
  // An answer of another form is asked for by the tool, so that it cannot go wrong in the same way.
  const forced =
    output && flags.misshapen && reading.get(output.tool.name) ? output.tool.name : plan.toolChoice
  return { ...plan, toolset: reading, toolChoice: forced }
}

/** The form of the answer is that of the agent that was asked, whoever gives it. */
function handed({ output }: RunPlan, plan: RunPlan): RunPlan {
  return { ...plan, output: output && outputWith(output, plan.toolset) }
}

const outputs = new WeakMap<OutputPlan, WeakMap<Toolset, OutputPlan>>()

function outputWith(output: OutputPlan, toolset: Toolset): OutputPlan {
  const known = outputs.get(output) ?? new WeakMap<Toolset, OutputPlan>()
  outputs.set(output, known)
  const made = known.get(toolset) ?? toOutputPlan(output.schema, toolset.tools)
  known.set(toolset, made)
  return made
}

const known = new WeakMap<Toolset, Toolset>()

function withReader(toolset: Toolset): Toolset {
  const made = known.get(toolset) ?? toToolset([...toolset.tools, readArtifact])
  known.set(toolset, made)
  return made
}
