import { contentType } from '../inputs/content-type.js'

/** The containers that recordings come in and that can be taken apart. */
export type Container = 'wav' | 'mp3' | 'ogg' | 'm4a' | 'flac' | 'webm'

/** The container of this media type, whoever spells it. */
export function toContainer(mediaType: string): Container | undefined {
  return containers[mediaType.toLowerCase().split(';')[0]?.trim() ?? '']
}

/** What the first bytes of a recording are: a container, or another type. */
export async function readContainer(
  head: Uint8Array,
): Promise<{ mediaType: string | undefined; container: Container | undefined }> {
  const mediaType = await contentType(head)
  return { mediaType, container: mediaType === undefined ? undefined : toContainer(mediaType) }
}

const containers: Readonly<Record<string, Container>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/ogg': 'ogg',
  'audio/opus': 'ogg',
  'video/ogg': 'ogg',
  'application/ogg': 'ogg',
  'audio/mp4': 'm4a',
  'audio/x-m4a': 'm4a',
  'video/mp4': 'm4a',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/webm': 'webm',
  'video/webm': 'webm',
  'video/x-matroska': 'webm',
}
