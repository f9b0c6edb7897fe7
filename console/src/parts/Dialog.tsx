import { Modal, type ModalProps } from '@mantine/core';
import type { FocusEvent } from 'react';
import './dialog.css';

/**
 * Mantine moves the focus to `data-autofocus` in a timer. On a busy machine that timer runs after a person has begun
 * to type, and the rest of the text would be lost: so the mark follows the focus.
 */
const markFocused = ({ currentTarget, target }: FocusEvent): void => {
  for (const marked of currentTarget.querySelectorAll('[data-autofocus]')) marked.removeAttribute('data-autofocus');
  target.setAttribute('data-autofocus', '');
};

/** A dialog over the page. One without a title needs a label. */
export const Dialog = ({ label, ...props }: ModalProps & { label?: string }) => (
  <Modal
    onFocus={markFocused}
    {...props}
    attributes={{
      ...(label !== undefined && { content: { 'aria-label': label } }),
      // Otherwise it would be a second banner of the page.
      header: { role: 'presentation' },
    }}
  />
);
