import { Suspense, useEffect, useRef, useState } from 'react';
import { loadLater } from '../parts/load-later.ts';
import './map.css';

/** A country that was seen, and how often. */
export interface SeenCountry {
  readonly value: string;
  readonly items: number;
}
export interface MapProps {
  readonly countries: readonly SeenCountry[];
  /** The place in question. */
  readonly here?: { readonly lat: number; readonly lon: number; readonly label: string } | undefined;
  readonly label: string;
}

const PlaceMap = loadLater(() => import('./PlaceMap.tsx'));

/** A map whose code and borders are loaded when it comes into view. */
export const WhereMap = (props: MapProps) => {
  const box = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (box.current === null) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && setSeen(true), {
      rootMargin: '120px',
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div className="map" ref={box}>
      {isSeen && (
        <Suspense fallback={null}>
          <PlaceMap {...props} />
        </Suspense>
      )}
    </div>
  );
};
