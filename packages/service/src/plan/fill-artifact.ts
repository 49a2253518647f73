import { kindAmong } from './artifact-kind.js'
import type { PlannerTool } from './planner-tool.js'
import type { Picked, Scene } from './scene.js'
import { free, widen } from './scene.js'
import type { Slot } from './slots.js'

/** Chooses an artifact id: one written in the clause, else the newest at hand of the right kind. Never invents one. */
export function pickArtifact(slot: Slot, scene: Scene): Picked | undefined {
  const { reading } = scene
  const wanted = artifactPrefixes(slot, scene.tool)
  const written = free(scene, reading.artifacts).filter(({ value }) =>
    wanted.some((prefix) => value.startsWith(prefix)),
  )
  const isMask = /\bmask\b/.test(slot.words)
  const masks = written.filter(({ start }) => /\bmask\s*$/i.test(reading.masked.slice(0, start)))
  const explicit = isMask ? masks[0] : written.find((one) => !masks.includes(one))
  if (explicit) return { value: explicit.value, spans: [widen(explicit, reading.text)] }
  const fitting = scene.artifacts.filter((id) => wanted.some((prefix) => id.startsWith(prefix)))
  const speaksOfMask = /\bmask(?:ed)?\b/i.test(reading.masked)
  const atHand = isMask
    ? speaksOfMask && fitting.length > 1
      ? fitting.at(-1)
      : undefined
    : fitting.at(speaksOfMask && fitting.length > 1 && hasMask(scene) ? -2 : -1)
  if (atHand) return { value: atHand, spans: [] }
  const file = /\bartifact\b/.test(String(slot.schema.description))
    ? undefined
    : free(scene, reading.files)[0]
  return file && { value: file.value, spans: [widen(file, reading.text)] }
}

/** The id prefixes a slot accepts, by what its name, its description or else its tool speaks of. */
export function artifactPrefixes(slot: Slot, tool: PlannerTool): readonly string[] {
  const kind = kindAmong([...slot.nameConcepts, ...slot.textConcepts]) ?? kindAmong(tool.nameConcepts)
  return kind === 'image' ? ['img_'] : kind === 'audio' ? ['aud_'] : ['img_', 'aud_', 'txt_', 'file_']
}

function hasMask({ tool }: Scene): boolean {
  return tool.slots.some(({ kind, words }) => kind === 'artifact' && /\bmask\b/.test(words))
}
