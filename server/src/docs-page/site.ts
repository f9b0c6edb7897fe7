import { openapi } from '@portcullis/contract';
import type { Document } from './document.ts';
import { guidePage, pictureUrl, readGuides, readPictures } from './guides.ts';
import { CONTENT_SECURITY_POLICY } from './layout.ts';
import { docsPage } from './page.ts';
import { searchIndex } from './search-index.ts';

/** Renders all texts of the documentation. */
export const renderSite = (version: string) => {
  const document = openapi(version) as unknown as Document;
  const guides = readGuides();
  return {
    contentSecurityPolicy: CONTENT_SECURITY_POLICY,
    openapi: JSON.stringify(document),
    reference: docsPage(document, guides),
    search: JSON.stringify(searchIndex(document, guides)),
    guides: guides.map((guide) => ({
      name: guide.name,
      page: guidePage(guide, guides, document.info.title, version),
    })),
    pictures: readPictures(guides).map(({ path, bytes }) => ({ path: pictureUrl(path), bytes })),
  };
};
