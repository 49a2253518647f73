import type { Loaded } from './load.js'

/** A file for a form, with the name and type by which servers tell formats apart. */
export function toUpload({ artifact, blob }: Loaded): File {
  const { id, mediaType } = artifact
  return new File([blob], `${id}.${toExtension(mediaType)}`, { type: mediaType })
}

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
}

function toExtension(mediaType: string): string {
  const [type = ''] = mediaType.toLowerCase().split(';')
  return extensions[type.trim()] ?? /\/(?:x-)?([a-z0-9]+)\s*$/.exec(type)?.[1] ?? 'bin'
}
