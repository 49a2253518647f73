import { useEffect, useState } from 'preact/hooks'
import type { RunSummary } from '../../types.js'
import { api } from '../api/client.js'
import { follow, loadRun, runs, viewOf } from '../api/state.js'
import { type ComparableRequest, type ComparableStep, readRequest } from '../model/compare-steps.js'
import type { CallNode, RunNode, StepNode } from '../model/run-nodes.js'
import { parsed } from '../model/values.js'

/** A step of a compared run. */
export interface Step extends ComparableStep {
  readonly node: StepNode
  readonly made: readonly string[]
}

/** A run to be compared: its summary and its steps, live. */
export function useSteps(id: string): {
  readonly run: RunSummary | undefined
  readonly steps: readonly Step[]
} {
  const [requests, setRequests] = useState<ReadonlyMap<string, ComparableRequest>>(new Map())
  const view = viewOf(id)
  void view.revision.value
  const run = runs.value.get(id)
  useEffect(() => {
    void loadRun(id)
    void follow(id)
  }, [id])
  // Requests are read again when a round is over: while it goes on, answers tell the differences.
  const isOver = run !== undefined && run.status !== 'running'
  useEffect(() => {
    let isCurrent = true
    if (isOver)
      void readRequests(id).then(
        (read) => isCurrent && setRequests(read),
        () => {},
      )
    return () => {
      isCurrent = false
    }
  }, [id, isOver])
  return { run, steps: stepsOf(view.tree.root.children, requests) }
}

/** The bodies of the requests by the place of their step. The last attempt counts. */
async function readRequests(id: string): Promise<ReadonlyMap<string, ComparableRequest>> {
  const exchanges = await api.exchanges(id)
  const byPlace = new Map(exchanges.map((one) => [one.at, one.number]))
  const read = new Map<string, ComparableRequest>()
  const decoder = new TextDecoder()
  for (const [place, number] of byPlace) {
    if (!/^t\d+\/model$/.test(place)) continue
    const request = readRequest(decoder.decode(await api.bytes(id, number, 'request')))
    if (request) read.set(place, request)
  }
  return read
}

function stepsOf(
  nodes: readonly RunNode[],
  requests: ReadonlyMap<string, ComparableRequest>,
): readonly Step[] {
  return nodes
    .filter((node) => node.kind === 'step')
    .map((node) => {
      const calls = node.children.filter((child): child is CallNode => child.kind === 'call')
      const request = requests.get(`t${node.step}/model`)
      return {
        step: node.step,
        node,
        text: node.text,
        ...(request && { request }),
        calls: calls.map((call) => ({
          name: call.name,
          arguments: call.arguments ?? parsed(call.argumentsText),
          result: parsed(call.content),
        })),
        made: [...node.artifacts, ...calls.flatMap((call) => call.artifacts)].map((artifact) => artifact.id),
      }
    })
}
