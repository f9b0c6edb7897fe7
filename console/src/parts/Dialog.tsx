import { Modal, type ModalProps } from '@mantine/core';
import './dialog.css';

/** A dialog over the page. One without a title needs a label. */
export const Dialog = ({ label, ...props }: ModalProps & { label?: string }) => (
  <Modal
    {...props}
    attributes={{
      ...(label !== undefined && { content: { 'aria-label': label } }),
      // Otherwise it would be a second banner of the page.
      header: { role: 'presentation' },
    }}
  />
);
