import type { Plugin } from 'esbuild'

export function licenceNotice(files: readonly string[]): string
export function thirdPartyLicences(): Plugin
