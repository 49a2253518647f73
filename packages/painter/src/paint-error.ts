export type PaintErrorCode = 'invalid_image' | 'missing_mask' | 'mask_size_mismatch' | 'empty_mask'

/**
 * Thrown for an image, a mask or an edit that the painter rejects. Contains the fields of the HTTP error that reports
 * it.
 */
export class PaintError extends Error {
  override readonly name = 'PaintError'
  readonly status = 400

  constructor(
    readonly code: PaintErrorCode,
    message: string,
    /** The invalid field in the request. */
    readonly param: string,
  ) {
    super(message)
  }
}
